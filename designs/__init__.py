if __name__ != "scrollwork.designs":
    raise ImportError("designs/ is a part of scrollwork: import scrollwork.designs")
