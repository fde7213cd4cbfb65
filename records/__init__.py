if __name__ != "scrollwork.records":
    raise ImportError("records/ is a part of scrollwork: import scrollwork.records")
