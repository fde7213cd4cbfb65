if __name__ != "scrollwork.cli":
    raise ImportError("cli/ is a part of scrollwork: import scrollwork.cli")
