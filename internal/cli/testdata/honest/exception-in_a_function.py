import tinynet


def main():
    data = [[i, i + 1] for i in range(3)]
    return tinynet.total(data, axis=1)


if __name__ == "__main__":
    print(main())
