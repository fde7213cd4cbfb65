if __name__ != "scrollwork.models":
    raise ImportError("models/ is a part of scrollwork: import scrollwork.models")
