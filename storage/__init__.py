if __name__ != "scrollwork.storage":
    raise ImportError("storage/ is a part of scrollwork: import scrollwork.storage")
