if __name__ != "scrollwork.config":
    raise ImportError("config/ is a part of scrollwork: import scrollwork.config")
