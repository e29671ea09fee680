// RULES: uninit-read
// The status that a program returns to the system is an output.
int main(int argc, char **argv) {
    int status;
    if (argc > 1)
        status = 1;
    return status; // BUG: uninit-read
}
