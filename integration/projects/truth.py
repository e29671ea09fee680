"""What a real build did, from the system calls that it made.

`strace` shows every program that the build ran. We look at the innermost ones, where nothing is left
to interpret: `cc1 file.c` (one compilation), `as -o x.o` (its object), `ar`, `ld -o prog …` (one link), and
`mv`/`cp`/`ln`/`rm` in between. So the truth shares no code and no assumption with the tool under test,
which looks at the outermost command (`gcc -c …`).

A target has
- `direct` units: objects on its link line;
- `pulled` ones: members of archives that the linker took, seen from the file symbols of the linked file;
- `offered` ones: all members of those archives;
- `needed` ones: those of the linked units that `main` leads to;
- `libraries`: shared libraries of the same build that it is linked with;
- `functions` with external linkage in the linked file, which tell whether the right variant of a file was taken.

Invariant: units and targets are in the order of their paths, and every path below the project is relative to it.
"""

import codecs
import functools
import os
import re
import subprocess

STRACE = ["strace", "-f", "-v", "--seccomp-bpf", "-s", "1000000", "-y", "-e", "signal=none",
          "-e", "trace=execve,chdir,fchdir,clone,clone3,fork,vfork"]
CALL = re.compile(r"^(\d+) +(\w+)\((.*)$", re.S)
RESUMED = re.compile(r"^(\d+) +<\.\.\. (\w+) resumed>.* = (-?\d+)")
RESULT = re.compile(r" = (-?\d+)(?: [A-Z]+ \(.*\))?\s*$")
STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
# The compiler proper for each language; what is not C is listed as skipped.
COMPILERS = {"cc1": "c", "cc1plus": "c++", "cc1obj": "objc"}


def unquote(text):
    return os.fsdecode(codecs.escape_decode(text.encode("latin-1", "surrogateescape"))[0])


def events(log, start):
    """Yield (driver, cwd, executable, argv) for every successful execve, in time order. The build began in `start`;
    `driver` is the process that started this one, but for Bear's wrapper in between."""
    lines = []
    pending = {}
    for line in open(log, encoding="latin-1"):
        call, resumed = CALL.match(line), RESUMED.match(line)
        if call:
            pid, name, rest = int(call[1]), call[2], call[3]
            result = RESULT.search(rest)
            entry = [pid, name, rest, int(result[1]) if result else None]
            lines.append(entry)
            if not result:
                pending[pid, name] = entry
        elif resumed:
            entry = pending.pop((int(resumed[1]), resumed[2]), None)
            if entry:
                entry[3] = int(resumed[3])
    directory, parent, wrapped = {}, {}, set()
    for pid, name, rest, result in lines:
        if result is None or result < 0:
            continue
        cwd = directory.setdefault(pid, start)
        if name == "chdir":
            path = unquote(STRING.search(rest)[1])
            directory[pid] = os.path.normpath(os.path.join(cwd, path))
        elif name == "fchdir":
            path = re.search(r"<(.*)>", rest)[1]
            directory[pid] = path
        elif name in ("clone", "clone3", "fork", "vfork"):
            # Here, where the call begins: the child's first line may come before the call's end. A number may
            # have belonged to another process before.
            directory[result], parent[result] = cwd, pid
            wrapped.discard(result)
        elif name == "execve":
            executable = STRING.match(rest)
            arguments, at = [], rest.index("[", executable.end()) + 1
            while rest[at] != "]":
                string = STRING.match(rest, at)
                arguments.append(unquote(string[1]))
                at = string.end() + (2 if rest.startswith(", ", string.end()) else 0)
            if executable[1].endswith("/bear/wrapper"):
                wrapped.add(pid)
                continue
            driver = parent.get(pid)
            while driver in wrapped:
                driver = parent.get(driver)
            yield driver, cwd, unquote(executable[1]), arguments


class Build:
    """A replay of the build on the level of files: which object holds which unit, who took which object."""

    def __init__(self, root):
        self.root = os.path.realpath(root)
        self.units = []      # dicts: file, macros, language, object
        self.assembly = {}   # temporary .s → unit
        self.piped = {}      # driver → unit whose assembly goes through a pipe
        self.waiting = {}    # driver → object of an assembler that reads a pipe
        self.objects = {}    # path → set of units (objects and partial links)
        self.archives = {}   # path → ordered dict member name → set of units
        self.moved = {}      # object as compiled → where it is now
        self.links = {}      # path → dict: kind, direct, offered, libraries

    def path(self, cwd, name):
        return os.path.normpath(os.path.join(cwd, name))

    def resolve(self, path):
        """Follow a symbolic link that the build made (libz.so → libz.so.1.2.13)."""
        return path if path in self.objects or path in self.archives or path in self.links else os.path.realpath(path)

    def replay(self, log):
        for driver, cwd, executable, argv in events(log, self.root):
            tool = os.path.basename(executable)
            if tool in COMPILERS:
                self.compile(driver, cwd, COMPILERS[tool], argv)
            elif re.fullmatch(r"(.*-)?as", tool):
                self.assemble(driver, cwd, argv)
            elif re.fullmatch(r"(.*-)?(gcc-)?ar", tool):
                self.archive(cwd, argv)
            elif re.fullmatch(r"(.*-)?ld(\.bfd|\.gold)?", tool):
                self.link(cwd, argv)
            elif tool in ("mv", "cp", "ln", "install"):
                self.move(cwd, tool, argv)
        return self

    def compile(self, driver, cwd, language, argv):
        # Preprocessing only (-E), from which a `.S` file or a dependency list comes.
        if "-E" in argv:
            return
        source, output, macros = None, None, []
        # cc1 has the source right before the second `-quiet`, and two-word -D/-U/-I.
        at = 1
        while at < len(argv):
            word = argv[at]
            if word in ("-D", "-U"):
                macros.append(word + argv[at + 1])
                at += 1
            elif word == "-o":
                output = argv[at + 1]
                at += 1
            elif word in TWO_WORDS:
                at += 1
            elif not word.startswith("-"):
                source = word
            at += 1
        if source is None:
            return
        unit = {"file": self.path(cwd, source), "macros": macros, "language": language, "object": None}
        self.units.append(unit)
        if output not in (None, "-"):
            self.assembly[self.path(cwd, output)] = unit
        elif driver in self.waiting:
            self.assembled(unit, self.waiting.pop(driver))
        else:
            self.piped[driver] = unit

    def assemble(self, driver, cwd, argv):
        output, source, at = None, None, 1
        while at < len(argv):
            if argv[at] == "-o":
                output = argv[at + 1]
                at += 1
            elif argv[at] == "-I":
                at += 1
            elif not argv[at].startswith("-") or argv[at] == "-":
                source = argv[at]
            at += 1
        if output is None:
            return
        path = self.path(cwd, output)
        if source in (None, "-"):
            # With -pipe the same driver starts both, and either may be seen first.
            if driver in self.piped:
                self.assembled(self.piped.pop(driver), path)
            else:
                self.waiting[driver] = path
            return
        unit = self.assembly.get(self.path(cwd, source))
        if unit is None:
            # Hand-written assembly, itself a unit that no C tool can model.
            unit = {"file": self.path(cwd, source), "macros": [], "language": "asm", "object": None}
            self.units.append(unit)
        self.assembled(unit, path)

    def assembled(self, unit, path):
        unit["object"] = path
        self.archives.pop(path, None)
        self.objects[path] = [unit]

    def archive(self, cwd, argv):
        words = [word for word in argv[1:] if not word.startswith("--")]
        if not words:
            return
        operation, words = words[0].lstrip("-"), words[1:]
        if not words:
            return
        path, members = self.path(cwd, words[0]), words[1:]
        if "x" in operation:
            for name, units in self.archives.get(path, {}).items():
                if not members or name in members:
                    self.objects[self.path(cwd, name)] = units
        elif "q" in operation or "r" in operation:
            held = self.archives.setdefault(path, {}) if os.path.exists(path) else {}
            # `ar` appends to what is there, but every build here removes the old one first.
            self.archives[path] = held
            for member in members:
                full = self.path(cwd, member)
                if full in self.objects:
                    name = os.path.basename(member)
                    while name in held and "q" in operation:
                        name += "'"
                    held[name] = self.objects[full]

    def link(self, cwd, argv):
        output, inputs, folders, shared, partial, at = "a.out", [], [], False, False, 1
        while at < len(argv):
            word = argv[at]
            if word == "-o":
                output = argv[at + 1]
                at += 1
            elif word in ("-shared", "--shared", "-Bshareable"):
                shared = True
            elif word in ("-r", "--relocatable"):
                partial = True
            elif word in LD_TWO_WORDS:
                at += 1
            elif word == "-L":
                folders.append(self.path(cwd, argv[at + 1]))
                at += 1
            elif word.startswith("-L"):
                folders.append(self.path(cwd, word[2:]))
            elif word.startswith("-l"):
                inputs += self.library(word[2:], folders)
            elif not word.startswith("-"):
                inputs.append(self.resolve(self.path(cwd, word)))
            at += 1
        direct, offered, libraries = [], [], []
        for path in inputs:
            if path in self.objects:
                direct += self.objects[path]
            elif path in self.archives:
                offered += [unit for units in self.archives[path].values() for unit in units]
            elif path in self.links:
                libraries.append(path)
        path = self.path(cwd, output)
        if partial:
            self.objects[path] = direct
        elif direct or offered:
            kind = "shared" if shared else "program"
            self.links[path] = {"kind": kind, "direct": direct, "offered": offered, "libraries": libraries}

    def library(self, name, folders):
        for folder in folders:
            for suffix in (".so", ".a"):
                path = self.resolve(os.path.join(folder, f"lib{name}{suffix}"))
                if path in self.links or path in self.archives:
                    return [path]
        return []

    def move(self, cwd, tool, argv):
        words = [word for word in argv[1:] if not word.startswith("-")]
        if len(words) != 2 or (tool == "ln" and any(w.startswith("-s") for w in argv[1:])):
            return
        source, target = (self.path(cwd, word) for word in words)
        if os.path.isdir(target) or words[1].endswith("/"):
            target = os.path.join(target, os.path.basename(source))
        for table in (self.objects, self.archives, self.links):
            if source in table:
                # A link that was moved is the program; its copies and hard links are not further programs.
                if table is not self.links:
                    table[target] = table[source]
                if tool == "mv":
                    table[target] = table.pop(source)
        for unit in self.objects.get(target, []):
            self.moved[unit["object"]] = target

    def symbols_of(self, unit):
        path = os.path.join(self.root, unit["object"])
        return symbols(self.moved.get(path, path))

    def needed(self, units, linked):
        """Of the linked units, those that `main` needs: the others are there only because the link line named them."""
        # A compile-and-link command names its sources in the database too.
        found = {n for n in linked if not units[n]["object"] or "main" in self.symbols_of(units[n]).visible}
        more = found
        while more:
            asked = set().union(*(self.symbols_of(units[n]).undefined for n in more if units[n]["object"]))
            more = {n for n in linked if n not in found and self.symbols_of(units[n]).visible & asked}
            found = found | more
        return found

    def functions(self, table, units):
        """The functions with external linkage in a linked file."""
        objects = [self.symbols_of(unit) for unit in units if unit["object"]]
        # What is hidden becomes local when it is linked.
        hidden = {name for unit in objects for name in unit.functions & table.locals}
        return (table.functions | hidden) - START_FILES

    def truth(self):
        """The replay as plain data."""
        inside = self.root + os.sep
        relative = lambda path: path[len(inside):] if path.startswith(inside) else path
        # Tests that a configure step inside the build makes and throws away are no part of the product.
        real = [unit for unit in self.units if os.path.exists(unit["file"]) or unit["language"] == "asm"]
        real = [unit for unit in real if unit["file"].startswith(inside) and not re.search(r"/conftest\.\w+$", unit["file"])]
        for unit in real:
            unit["file"] = relative(unit["file"])
            # A compile-and-link command has its objects in temporary files, whose names mean nothing.
            unit["object"] = relative(unit["object"]) if (unit["object"] or "").startswith(inside) else None
        real.sort(key=lambda unit: (unit["file"], unit["object"] or "", unit["macros"]))
        number = {id(unit): index for index, unit in enumerate(real)}
        ids = lambda units: sorted({number[id(unit)] for unit in units if id(unit) in number})
        targets = []
        for path, link in sorted(self.links.items()):
            if not ids(link["direct"] + link["offered"]) or not os.path.exists(path):
                continue
            table = symbols(path)
            direct, offered = ids(link["direct"]), ids(link["offered"])
            # Two members may come from files of one name: what they define tells them apart.
            pulled = [n for n in offered if os.path.basename(real[n]["file"]) in table.files and n not in direct
                      and (real[n]["object"] is None or self.symbols_of(real[n]).names <= table.names)]
            targets.append({"name": relative(path), "kind": link["kind"], "direct": direct, "pulled": pulled,
                            "offered": offered, "libraries": [relative(p) for p in link["libraries"]],
                            "needed": sorted(self.needed(real, direct + pulled)),
                            "functions": sorted(self.functions(table, [real[n] for n in direct + pulled]))})
        for path, members in sorted(self.archives.items()):
            units = ids([unit for held in members.values() for unit in held])
            if units and os.path.exists(path):
                targets.append({"name": relative(path), "kind": "archive", "direct": units, "pulled": [],
                                "offered": [], "libraries": [], "needed": [],
                                "functions": []})
        return {"units": real, "targets": sorted(targets, key=lambda target: target["name"])}


class Symbols:
    """The symbol table of an object or a linked program: the names of the source files (one for each object that the
    linker took), of what it lacks, of what it defines for others (in the program; anywhere), and of its functions."""

    def __init__(self, path):
        text = subprocess.run(["readelf", "-sW", path], capture_output=True, text=True, errors="replace").stdout
        rows = [line.split() for line in text.splitlines()]
        rows = [row for row in rows if len(row) == 8 and row[0].endswith(":")]
        self.files = {row[7] for row in rows if row[3] == "FILE"}
        defined = [row for row in rows if row[6] != "UND"]
        self.undefined = {row[7].split("@")[0] for row in rows if row[6] == "UND"}
        self.visible = {row[7].split("@")[0] for row in defined if row[4] in ("GLOBAL", "WEAK")}
        self.names = {row[7].split("@")[0] for row in defined if row[4] == "GLOBAL" and row[5] == "DEFAULT"}
        self.functions = {row[7].split("@")[0] for row in defined if row[3] == "FUNC" and row[4] in ("GLOBAL", "WEAK")}
        self.locals = {row[7] for row in defined if row[3] == "FUNC" and row[4] == "LOCAL"}


@functools.cache
def symbols(path):
    return Symbols(path)


def truth(root, log, header):
    """What the build in `root` did, by its strace `log`."""
    return {**header, **Build(root).replay(log).truth()}


# What the C library's own start-up objects define in every program.
START_FILES = {"_start", "_init", "_fini", "_dl_relocate_static_pie", "__libc_csu_init", "__libc_csu_fini", "atexit"}
# Options of cc1 and ld whose value is the next word (those that gcc's driver passes).
TWO_WORDS = {"-I", "-imultiarch", "-iprefix", "-isystem", "-iquote", "-idirafter", "-include", "-imacros", "-isysroot",
             "-dumpbase", "-dumpbase-ext", "-dumpdir", "-auxbase", "-auxbase-strip", "-MF", "-MD", "-MMD", "-MT", "-MQ", "-A",
             "--param"}
LD_TWO_WORDS = {"-m", "-z", "-dynamic-linker", "-plugin", "-soname", "-h", "-rpath", "-rpath-link", "-T", "-e", "-u",
                "-version-script", "--version-script", "-Map", "-y", "-f", "--defsym", "-init", "-fini"}
