if __name__ != "scrollwork.analysis":
    raise ImportError("analysis/ is a part of scrollwork: import scrollwork.analysis")
