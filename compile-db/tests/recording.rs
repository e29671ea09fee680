//! Recording real builds: make, cc, ar, ld, cmake and cargo run for real in small projects.
//!
//! This test has its own `main`: while a build is recorded, this very program stands in for its compiler.

use compile_db::{
    Build, Evidence, Note, Recording, Target, TargetKind, record, shim_main, targets,
};
use std::{
    env,
    ffi::OsString,
    fs,
    os::unix::ffi::OsStringExt,
    panic,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
};
use tempfile::TempDir;

const TESTS: &[(&str, fn())] = &[
    ("a_parallel_make_in_a_path_with_spaces", a_parallel_make_in_a_path_with_spaces),
    ("the_builds_exit_code_is_kept", the_builds_exit_code_is_kept),
    ("every_way_to_put_objects_together", every_way_to_put_objects_together),
    ("archives_grow_shrink_and_are_made_anew", archives_grow_shrink_and_are_made_anew),
    ("objects_are_moved", objects_are_moved),
    ("any_name_goes", any_name_goes),
    ("probes_leave_no_trace", probes_leave_no_trace),
    ("what_is_named_like_a_probe_is_kept", what_is_named_like_a_probe_is_kept),
    ("a_link_of_unseen_objects_is_kept", a_link_of_unseen_objects_is_kept),
    ("response_files_may_vanish", response_files_may_vanish),
    ("compilers_given_by_path", compilers_given_by_path),
    ("compilers_called_by_path", compilers_called_by_path),
    ("shims_outlive_the_recording", shims_outlive_the_recording),
    ("the_result_does_not_depend_on_timing", the_result_does_not_depend_on_timing),
    ("a_cmake_project_configured_while_recording", a_cmake_project_configured_while_recording),
    ("the_c_in_a_cargo_project", the_c_in_a_cargo_project),
];

fn main() -> ExitCode {
    if let Some(code) = shim_main() {
        return code;
    }
    let arguments: Vec<String> = env::args().skip(1).collect();
    if let [marker, scratch, command @ ..] = arguments.as_slice()
        && marker == "record-here"
    {
        let command: Vec<OsString> = command.iter().map(Into::into).collect();
        let recording =
            record(&command, Path::new("."), Path::new(scratch), Command::status).unwrap();
        println!("{} units", recording.build.units.len());
        return ExitCode::SUCCESS;
    }
    let filter = arguments.iter().find(|argument| !argument.starts_with('-'));
    let chosen =
        TESTS.iter().filter(|(name, _)| filter.is_none_or(|filter| name.contains(filter.as_str())));
    let mut failed = 0;
    for (name, test) in chosen {
        let passed = panic::catch_unwind(test).is_ok();
        println!("test {name} ... {}", if passed { "ok" } else { "FAILED" });
        failed += usize::from(!passed);
    }
    ExitCode::from(u8::from(failed > 0))
}

struct Project {
    _root: TempDir,
    folder: PathBuf,
    scratch: PathBuf,
}

impl Project {
    fn new(files: &[(&str, &str)]) -> Project {
        let root = tempfile::tempdir().unwrap();
        let real = root.path().canonicalize().unwrap();
        let project =
            Project { folder: real.join("pro ject"), scratch: real.join("scratch"), _root: root };
        files.iter().for_each(|(name, text)| project.write(name, text));
        project
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn record(&self, command: &[&str]) -> Recording {
        let command: Vec<OsString> = command.iter().map(Into::into).collect();
        record(&command, &self.folder, &self.scratch, Command::status).unwrap()
    }

    /// Records a shell script that must succeed.
    fn script(&self, script: &str) -> Build {
        let recording = self.record(&["sh", "-e", "-c", script]);
        assert!(recording.status.success(), "{script}");
        recording.build
    }
}

const MAIN: &str = "int f(void);\nint main(void) { return f(); }\n";

fn sources(build: &Build, units: &[usize]) -> Vec<String> {
    let name = |unit: &usize| {
        build.units[*unit].source.file_name().unwrap().to_string_lossy().into_owned()
    };
    units.iter().map(name).collect()
}

fn target(build: &Build, name: &str) -> Target {
    let all = targets(build, None).unwrap_or_default();
    let found = all.iter().find(|target| target.name == name);
    found.unwrap_or_else(|| panic!("no {name} in {all:?}")).clone()
}

fn a_parallel_make_in_a_path_with_spaces() {
    let project = Project::new(&[
        ("main.c", MAIN),
        ("f.c", "int g(void); int f(void) { return g(); }"),
        ("g.c", "int g(void) { return VALUE; }"),
        ("unused.c", "int unused;"),
        (
            "Makefile",
            "CFLAGS = -DVALUE=0 -O2 -Wall -MMD\n\
             all: prog libdyn.so\n\
             prog: main.o libf.a\n\t$(CC) -o $@ main.o -L. -lf -lm\n\
             libf.a: f.o g.o unused.o\n\t$(AR) rcs $@ $^\n\
             libdyn.so: f.c g.c\n\t$(CC) $(CFLAGS) -shared -fPIC -o $@ f.c g.c\n",
        ),
    ]);
    let recording = project.record(&["make", "-j4"]);
    assert!(recording.status.success());
    let build = recording.build;
    assert_eq!(build.notes, []);
    assert_eq!(build.units.len(), 6, "{:?}", build.units);
    let program = target(&build, "prog");
    assert_eq!(program.kind, TargetKind::Program);
    assert_eq!(program.evidence, Evidence::RecordedLink { output: project.folder.join("prog") });
    assert_eq!(sources(&build, &program.units), ["main.c", "f.c", "g.c", "unused.c"]);
    assert_eq!(sources(&build, &program.from_archives), ["f.c", "g.c", "unused.c"]);
    assert!(target(&build, "libf.a").from_archives.is_empty());
    let library = target(&build, "libdyn.so");
    assert_eq!(library.kind, TargetKind::SharedLibrary);
    assert_eq!(sources(&build, &library.units), ["f.c", "g.c"]);
    assert_eq!(build.units[library.units[0]].flags, ["-DVALUE=0", "-fPIC"]);
    assert!(Command::new(project.folder.join("prog")).status().unwrap().success());
}

fn the_builds_exit_code_is_kept() {
    let project = Project::new(&[("bad.c", "int x = ;"), ("good.c", "int y;")]);
    let recording =
        project.record(&["sh", "-c", "cc -c good.c; cc -c bad.c 2>/dev/null || exit 42"]);
    assert_eq!(recording.status.code(), Some(42));
    assert_eq!(
        recording.build.units.len(),
        2,
        "what does not compile is for the front end to report"
    );
    let recording = project.record(&["cc", "--no-such-option"]);
    assert_eq!(recording.status.code(), Some(1));
    let missing =
        record(&["no-such-command".into()], &project.folder, &project.scratch, Command::status);
    assert!(missing.unwrap_err().to_string().contains("cannot run no-such-command"));
}

fn every_way_to_put_objects_together() {
    let project = Project::new(&[
        ("main.c", MAIN),
        ("f.c", "int g(void); int f(void) { return g(); }"),
        ("g.c", "int h(void); int g(void) { return h(); }"),
        ("h.c", "int h(void) { return 0; }"),
        ("s.s", ".globl s\ns: ret\n"),
    ]);
    let build = project.script(
        "cc -S f.c && as f.s -o f.o\n\
         cc -c g.c h.c && ld -r -o gh.o g.o h.o\n\
         cc -shared -fPIC -o libgh.so.1 g.c h.c && ln -s libgh.so.1 libgh.so\n\
         cc main.c f.o gh.o s.s -o one\n\
         cc main.c f.o -Wl,-rpath,. -L. -lgh -o two\n\
         ar rc libgh.a gh.o && cc main.c f.o -Wl,--whole-archive libgh.a -Wl,--no-whole-archive -o three\n\
         ar rc libnest.a f.o && mkdir x && (cd x && ar x ../libnest.a) && cc main.c x/f.o gh.o -o four",
    );
    assert_eq!(build.notes, []);
    let of = |name| sources(&build, &target(&build, name).units);
    assert_eq!(of("one"), ["main.c", "f.c", "g.c", "h.c"]);
    assert_eq!(target(&build, "one").missing, [project.folder.join("s.s")]);
    assert_eq!(of("two"), ["main.c", "f.c", "g.c", "h.c"]);
    assert_eq!(of("three"), ["main.c", "f.c", "g.c", "h.c"]);
    assert!(target(&build, "three").from_archives.is_empty());
    assert_eq!(of("four"), ["main.c", "f.c", "g.c", "h.c"]);
    assert_eq!(build.units.iter().filter(|unit| unit.source.ends_with("main.c")).count(), 1);
}

fn archives_grow_shrink_and_are_made_anew() {
    let project = Project::new(&[("a.c", "int a;"), ("b.c", "int b;"), ("c.c", "int c;")]);
    let build = project.script(
        "cc -c a.c b.c c.c\n\
         ar rc grown.a a.o && ar r grown.a b.o c.o && ar d grown.a a.o\n\
         ar qc anew.a a.o && rm anew.a && ar qcs anew.a b.o && ranlib anew.a\n\
         ar rcT thin.a a.o c.o",
    );
    let of = |name| sources(&build, &target(&build, name).units);
    assert_eq!(of("grown.a"), ["b.c", "c.c"]);
    assert_eq!(of("anew.a"), ["b.c"]);
    assert_eq!(of("thin.a"), ["a.c", "c.c"]);
}

fn objects_are_moved() {
    let project = Project::new(&[("main.c", MAIN), ("f.c", "int f(void) { return 0; }")]);
    let build = project.script(
        "mkdir objs obj\n\
         cc -c main.c -o main.tmp && mv main.tmp main.o\n\
         cc -c -DSTATIC f.c -o f.o\n\
         cc -c -fPIC f.c -o objs/f.o && mv objs/f.o f.lo && rmdir objs\n\
         cc -shared -o libf.so f.lo && cc main.o f.o -o prog",
    );
    assert_eq!(build.notes, []);
    let library = target(&build, "libf.so");
    assert_eq!(build.units[library.units[0]].flags, ["-fPIC"]);
    assert_eq!(sources(&build, &target(&build, "prog").units), ["main.c", "f.c"]);
}

fn any_name_goes() {
    let project = Project::new(&[]);
    let name = OsString::from_vec(b"new\nline \xff'\".c".to_vec());
    fs::create_dir_all(&project.folder).unwrap();
    fs::write(project.folder.join(&name), "int main(void) { return 0; }").unwrap();
    let command = ["cc".into(), "-DX=\"a b\"".into(), name.clone(), "-o".into(), "prog".into()];
    let recording = record(&command, &project.folder, &project.scratch, Command::status).unwrap();
    assert!(recording.status.success());
    assert_eq!(recording.build.units[0].source, project.folder.join(&name));
    assert_eq!(recording.build.units[0].flags, ["-DX=\"a b\""]);
}

fn probes_leave_no_trace() {
    let project = Project::new(&[("main.c", "int main(void) { return 0; }")]);
    let build = project.script(
        "echo 'int main(void) { return 0; }' > conftest.c\n\
         cc -c conftest.c && cc conftest.c -o conftest && cc -o conftest conftest.o && rm conftest*\n\
         echo 'int x;' > try.c && cc -c try.c && cc -r -o try2.o try.o && rm try*\n\
         cc -E main.c > /dev/null && cc -fsyntax-only main.c && cc --version > /dev/null\n\
         echo 'int y;' | cc -c -x c - -o /dev/null\n\
         cc main.c -o prog",
    );
    assert_eq!((build.notes.len(), build.skipped.len()), (0, 0), "{build:?}");
    assert_eq!((build.units.len(), build.links.len()), (1, 1), "{build:?}");
}

fn what_is_named_like_a_probe_is_kept() {
    let project =
        Project::new(&[("flag_check.c", MAIN), ("conftest.c", "int f(void) { return 0; }")]);
    let build = project.script("cc -c flag_check.c && cc -c conftest.c && cc *.o -o prog");
    let mut names = sources(&build, &target(&build, "prog").units);
    names.sort();
    assert_eq!(names, ["conftest.c", "flag_check.c"]);
    // In cargo's folder for build scripts it is one, whatever is left of it.
    let project = Project::new(&[("target/build/p-1/out/flag_check.c", "int main;")]);
    let build = project.script("cd target/build/p-1/out && cc -c flag_check.c -o flag_check");
    assert!(build.units.is_empty(), "{build:?}");
}

/// Whatever is in such a program, it is not analysed, and that must be told.
fn a_link_of_unseen_objects_is_kept() {
    let project = Project::new(&[("main.c", MAIN), ("f.c", "int f(void) { return 0; }")]);
    let hidden = format!("PATH=/usr/bin:/bin {}", compiler().display());
    let build = project.script(&format!(
        "{hidden} -c main.c f.c && ar rc libf.a f.o && cc main.o libf.a -o prog\n\
         echo 'int main;' > seen.c && cc seen.c -o seen"
    ));
    let program = target(&build, "prog");
    assert!(program.units.is_empty());
    assert_eq!(program.missing, [project.folder.join("f.o"), project.folder.join("main.o")]);
    assert!(target(&build, "seen").missing.is_empty());
    let build = project.script(&format!("{hidden} -c f.c && cc -shared f.o -o libf.so"));
    assert!(build.notes.iter().any(|note| note.subject == "1 object or library"), "{build:?}");
}

fn response_files_may_vanish() {
    let project = Project::new(&[("main.c", "int main(void) { return VALUE; }")]);
    let build = project.script("echo '-DVALUE=0 main.c' > r && cc @r -o prog && rm r");
    assert_eq!(build.notes, []);
    assert_eq!(build.units[0].flags, ["-DVALUE=0"]);
}

/// The real compiler, by its path.
fn compiler() -> PathBuf {
    let path = env::var_os("PATH").unwrap();
    env::split_paths(&path).map(|folder| folder.join("cc")).find(|file| file.is_file()).unwrap()
}

fn compilers_given_by_path() {
    let makefile = "prog: main.c\n\t$(CC) -o $@ $^\n";
    let project =
        Project::new(&[("main.c", "int main(void) { return 0; }"), ("Makefile", makefile)]);
    let given = format!("CC={} -m64", compiler().display());
    let recording = project.record(&["make", &given]);
    assert!(recording.status.success());
    assert_eq!(recording.build.units[0].flags, ["-m64"]);

    let output = Command::new(env::current_exe().unwrap())
        .args(["record-here", project.scratch.to_str().unwrap(), "make", "-B"])
        .current_dir(&project.folder)
        .env("CC", compiler())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("1 units"), "{text} {}", String::from_utf8_lossy(&output.stderr));
    // An environment with nothing but PATH still records.
    let build = project.script("env -i PATH=\"$PATH\" make -B CC=cc");
    assert_eq!(build.units.len(), 1);
}

fn compilers_called_by_path() {
    let project = Project::new(&[("main.c", MAIN), ("f.c", "int f(void) { return 0; }")]);
    let compiler = compiler();
    let compiler = compiler.display();
    // gcc finds its assembler and linker in PATH, and those know who called them.
    let gcc = Command::new("cc").arg("-v").output().unwrap();
    if String::from_utf8_lossy(&gcc.stderr).contains("gcc version") {
        let build = project.script(&format!(
            "echo -DX=1 > r && {compiler} @r -c f.c && PATH=/usr/bin:/bin ar rc libf.a f.o\n\
             {compiler} main.c libf.a -o prog && rm r"
        ));
        assert_eq!(build.notes, []);
        assert_eq!(sources(&build, &target(&build, "prog").units), ["main.c", "f.c"]);
        assert_eq!(build.units[0].flags, ["-DX=1"]);
        let build = project.script(&format!(
            "{compiler} -c f.c && rm libf.a && PATH=/usr/bin:/bin ar rc libf.a f.o\n\
             {compiler} main.c -L. -lf -o prog"
        ));
        assert_eq!(sources(&build, &target(&build, "prog").units), ["main.c", "f.c"]);
    }
    // Without our PATH nobody tells.
    let hidden = format!("PATH=/usr/bin:/bin {compiler}");
    let build = project.script(&format!("{hidden} -c f.c && cc main.c f.o -o prog"));
    let [Note { text, .. }] = build.notes.as_slice() else { panic!("{:?}", build.notes) };
    assert!(text.contains("f.o") && text.contains("absolute path"), "{text}");
    assert_eq!(target(&build, "prog").missing, [project.folder.join("f.o")]);
    let build = project.script(&format!("{hidden} -c f.c"));
    assert!(build.units.is_empty());
    assert!(build.notes[0].text.contains("called no compiler"), "{:?}", build.notes);
}

fn shims_outlive_the_recording() {
    let project = Project::new(&[("f.c", "int f(void) { return 0; }")]);
    project.script("cc -c f.c");
    let shim = project.scratch.join("shims/cc");
    let again =
        Command::new(&shim).args(["-c", "f.c"]).current_dir(&project.folder).status().unwrap();
    assert!(again.success());
    assert!(!project.scratch.join("calls").exists());
}

fn the_result_does_not_depend_on_timing() {
    let names: Vec<String> = (0..8).map(|number| format!("u{number}")).collect();
    let mut makefile = String::from("prog: main.o ");
    names.iter().for_each(|name| makefile += &format!("{name}.o "));
    makefile += "\n\t$(CC) -fuse-ld=bfd -o $@ $^\n%.o: %.c\n\t$(CC) -fstack-usage -c $<\n";
    let project =
        Project::new(&[("main.c", "int main(void) { return 0; }"), ("Makefile", &makefile)]);
    names.iter().for_each(|name| project.write(&format!("{name}.c"), &format!("int {name};")));
    let once = project.record(&["make", "-B", "-j1"]).build;
    let again = project.record(&["make", "-B", "-j8"]).build;
    assert_eq!(once.units.len(), 9);
    assert_eq!(format!("{once:?}"), format!("{again:?}"));
}

fn a_cmake_project_configured_while_recording() {
    if Command::new("cmake").arg("--version").output().is_err() {
        return println!("skipped: cmake is not installed");
    }
    let project = Project::new(&[
        ("main.c", MAIN),
        ("f.c", "int f(void) { return 0; }"),
        (
            "CMakeLists.txt",
            "cmake_minimum_required(VERSION 3.13)\nproject(p C)\nadd_library(f STATIC f.c)\n\
             add_executable(prog main.c)\ntarget_link_libraries(prog f)\n",
        ),
    ]);
    let build = project.script("(cmake -B build && cmake --build build) > /dev/null");
    assert_eq!(build.notes, []);
    assert_eq!(build.units.len(), 2, "{:?}", build.units);
    assert_eq!(sources(&build, &target(&build, "prog").units), ["main.c", "f.c"]);
    // The build folder now names the shims; they still work.
    project.write("f.c", "int f(void) { return 1; }");
    let again =
        Command::new("cmake").args(["--build", "build"]).current_dir(&project.folder).output();
    assert!(again.unwrap().status.success());
}

fn the_c_in_a_cargo_project() {
    let project = Project::new(&[
        (
            "Cargo.toml",
            "[package]\nname = \"p\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[workspace]\n",
        ),
        (
            "src/main.rs",
            "extern \"C\" { fn f() -> i32; }\nfn main() { std::process::exit(unsafe { f() }) }\n",
        ),
        ("f.c", "int f(void) { return VALUE; }"),
        (
            "build.rs",
            "use std::process::Command;\nfn main() {\n\
             let out = std::env::var(\"OUT_DIR\").unwrap();\n\
             let object = format!(\"{out}/f.o\");\n\
             let run = |c: &mut Command| assert!(c.status().unwrap().success());\n\
             run(Command::new(\"cc\").args([\"-DVALUE=0\", \"-fPIC\", \"-c\", \"f.c\", \"-o\", &object]));\n\
             run(Command::new(\"ar\").args([\"cq\", &format!(\"{out}/libf.a\"), &object]));\n\
             println!(\"cargo:rustc-link-search={out}\\ncargo:rustc-link-lib=static=f\");\n}\n",
        ),
    ]);
    for _ in 0..2 {
        let recording = project.record(&["cargo", "build", "--quiet", "--offline"]);
        assert!(recording.status.success());
        let build = recording.build;
        assert_eq!((build.units.len(), build.notes.len()), (1, 0), "{build:?}");
        assert_eq!(build.units[0].flags, ["-DVALUE=0", "-fPIC"]);
        assert_eq!(target(&build, "libf.a").kind, TargetKind::StaticLibrary);
    }
    assert!(!project.folder.join("target").exists(), "the user's target folder is left alone");
}
