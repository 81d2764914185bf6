import trainlib
from parts.obs.tele import session

def main():
    with session():
        trainlib.train()

if __name__ == "__main__":
    main()
