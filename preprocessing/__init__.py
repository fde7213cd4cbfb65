if __name__ != "scrollwork.preprocessing":
    raise ImportError("preprocessing/ is a part of scrollwork: import scrollwork.preprocessing")
