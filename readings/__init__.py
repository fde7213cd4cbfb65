if __name__ != "scrollwork.readings":
    raise ImportError("readings/ is a part of scrollwork: import scrollwork.readings")
