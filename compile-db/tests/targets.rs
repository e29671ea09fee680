//! Which units make which program, by every kind of evidence.

use compile_db::{
    Build, Error, Evidence, Symbols, Target, TargetKind, discover, read, targets,
    targets_by_symbols,
};
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};
use tempfile::TempDir;

fn project(files: &[(&str, &str)]) -> (TempDir, PathBuf) {
    let root = tempfile::tempdir().unwrap();
    let folder = root.path().canonicalize().unwrap().join("p");
    for (name, text) in files {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    (root, folder)
}

fn sources(build: &Build, units: &[usize]) -> Vec<String> {
    let name = |unit: &usize| {
        build.units[*unit].source.file_name().unwrap().to_string_lossy().into_owned()
    };
    let mut names: Vec<String> = units.iter().map(name).collect();
    names.sort();
    names
}

fn named<'a>(targets: &'a [Target], name: &str) -> &'a Target {
    let found = targets.iter().find(|target| target.name == name);
    found.unwrap_or_else(|| panic!("no {name} in {targets:#?}"))
}

const CMAKE: &[(&str, &str)] = &[
    (
        "CMakeLists.txt",
        "cmake_minimum_required(VERSION 3.13)\nproject(p C)\nset(CMAKE_EXPORT_COMPILE_COMMANDS ON)\n\
         add_library(obj OBJECT obj.c)\n\
         add_library(stat STATIC stat.c shared.c)\n\
         add_library(dyn SHARED dyn.c)\nset_target_properties(dyn PROPERTIES VERSION 1.2 SOVERSION 1)\n\
         target_link_libraries(dyn PRIVATE stat)\nset_target_properties(stat PROPERTIES POSITION_INDEPENDENT_CODE ON)\n\
         add_subdirectory(app)\n",
    ),
    (
        "app/CMakeLists.txt",
        "add_executable(app app.c ../shared.c $<TARGET_OBJECTS:obj>)\ntarget_link_libraries(app PRIVATE dyn m)\n\
         target_compile_definitions(app PRIVATE IN_APP)\nadd_executable(tool tool.c)\n\
         target_link_libraries(tool PRIVATE stat)\n",
    ),
    ("obj.c", "int obj(void) { return 0; }\n"),
    ("stat.c", "int stat_f(void) { return 0; }\n"),
    ("shared.c", "int shared(void) { return 0; }\n"),
    ("dyn.c", "int stat_f(void);\nint dyn(void) { return stat_f(); }\n"),
    (
        "app/app.c",
        "int obj(void), dyn(void), shared(void);\nint main(void) { return obj() + dyn() + shared(); }\n",
    ),
    ("app/tool.c", "int stat_f(void);\nint main(void) { return stat_f(); }\n"),
];

fn check_cmake(build: &Build, targets: &[Target], names: [&str; 4]) {
    let [app, tool, dynamic, archive] = names.map(|name| named(targets, name));
    assert_eq!(
        sources(build, &app.units),
        ["app.c", "dyn.c", "obj.c", "shared.c", "shared.c", "stat.c"]
    );
    assert_eq!(app.kind, TargetKind::Program);
    assert_eq!(sources(build, &tool.units), ["shared.c", "stat.c", "tool.c"]);
    assert_eq!(sources(build, &tool.from_archives), ["shared.c", "stat.c"]);
    assert_eq!(sources(build, &dynamic.units), ["dyn.c", "shared.c", "stat.c"]);
    assert_eq!(dynamic.kind, TargetKind::SharedLibrary);
    assert_eq!(sources(build, &archive.units), ["shared.c", "stat.c"]);
    assert_eq!(archive.kind, TargetKind::StaticLibrary);
    // The two copies of shared.c are kept apart by their objects.
    let own = app.units.iter().filter(|unit| !app.from_archives.contains(unit));
    let own: Vec<usize> =
        own.copied().filter(|&unit| build.units[unit].source.ends_with("shared.c")).collect();
    assert_eq!(own.len(), 1);
    assert_eq!(build.units[own[0]].flags, ["-DIN_APP"]);
}

fn has(tool: &str) -> bool {
    let there = Command::new(tool).arg("--version").output().is_ok();
    if !there {
        println!("skipped: {tool} is not installed");
    }
    there
}

fn run_cmake(folder: &Path, generator: &str) -> PathBuf {
    let build_dir = folder.join("build");
    let arguments = ["-S", ".", "-B", "build", "-G", generator];
    let output = Command::new("cmake").args(arguments).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    build_dir.join("compile_commands.json")
}

fn database_of(project: &Path, build_dir: Option<&Path>, cache: &Path) -> Result<PathBuf, Error> {
    let found = discover(project, build_dir, cache, |cmake| cmake.status())?;
    assert_eq!(found.notes.is_empty(), !found.database.starts_with(cache), "{found:?}");
    Ok(found.database)
}

#[test]
fn a_cmake_project_is_configured_into_the_cache() {
    if !has("cmake") {
        return;
    }
    let (root, folder) = project(CMAKE);
    fs::create_dir(folder.join(".git")).unwrap();
    let before = fs::read_dir(&folder).unwrap().count();
    let cache = root.path().join("cache");
    let database = database_of(&folder, None, &cache).unwrap();
    assert!(database.starts_with(&cache));
    assert_eq!(fs::read_dir(&folder).unwrap().count(), before, "the project itself is left alone");
    let build = read(&database).unwrap();
    let targets = targets(&build, Some(&database)).unwrap();
    assert!(matches!(targets[0].evidence, Evidence::CmakeFileApi { .. }));
    check_cmake(&build, &targets, ["app", "tool", "dyn", "stat"]);
    assert_eq!(database_of(&folder, None, &cache).unwrap(), database, "once more changes nothing");
}

#[test]
fn link_txt_tells_where_nobody_asked_cmake() {
    if !has("cmake") || !has("make") {
        return;
    }
    let (_root, folder) = project(CMAKE);
    let database = run_cmake(&folder, "Unix Makefiles");
    let build = read(&database).unwrap();
    let targets = targets(&build, Some(&database)).unwrap();
    assert!(matches!(targets[0].evidence, Evidence::LinkTxt { .. }));
    check_cmake(&build, &targets, ["app", "tool", "libdyn.so.1.2", "libstat.a"]);
}

/// What is not analysed is known to be that, not an object from nowhere.
#[test]
fn a_link_with_cxx_in_it() {
    let (_root, folder) = project(&[
        ("a.c", "int main(void) { return 0; }"),
        ("b.cpp", "class B {};"),
        ("CMakeFiles/app.dir/link.txt", "c++ -o app CMakeFiles/a.c.o CMakeFiles/b.cpp.o gone.o\n"),
        (
            "compile_commands.json",
            r#"[{"directory": ".", "file": "a.c", "command": "cc -o CMakeFiles/a.c.o -c a.c"},
                {"directory": ".", "file": "b.cpp", "command": "c++ -o CMakeFiles/b.cpp.o -c b.cpp"}]"#,
        ),
    ]);
    let database = folder.join("compile_commands.json");
    let build = read(&database).unwrap();
    let targets = targets(&build, Some(&database)).unwrap();
    assert!(matches!(targets[0].evidence, Evidence::LinkTxt { .. }));
    let missing: Vec<_> = targets[0].missing.iter().filter_map(|file| file.file_name()).collect();
    assert_eq!(missing, ["b.cpp", "gone.o"]);
}

#[test]
fn build_ninja_tells_too() {
    if !has("cmake") || !has("ninja") {
        return;
    }
    let (_root, folder) = project(CMAKE);
    let database = run_cmake(&folder, "Ninja");
    let build = read(&database).unwrap();
    let targets = targets(&build, Some(&database)).unwrap();
    assert!(matches!(targets[0].evidence, Evidence::BuildNinja { .. }));
    check_cmake(&build, &targets, ["app", "tool", "libdyn.so.1.2", "libstat.a"]);
}

#[test]
fn a_cmake_project_that_does_not_configure() {
    if !has("cmake") {
        return;
    }
    let (root, folder) =
        project(&[("CMakeLists.txt", "message(FATAL_ERROR \"no such luck\")"), (".git/x", "")]);
    let error = database_of(&folder, None, &root.path().join("cache")).unwrap_err().to_string();
    assert!(error.contains("no such luck") && error.contains("-p"), "{error}");
}

#[test]
fn cmake_code_writes_to_the_cache_only() {
    if !has("cmake") {
        return;
    }
    let text = "cmake_minimum_required(VERSION 3.10)\nproject(p C)\n\
        execute_process(COMMAND sh -c \"echo pwned > ${CMAKE_BINARY_DIR}/../beside; echo pwned >> ${CMAKE_SOURCE_DIR}/m.c\")\n\
        execute_process(COMMAND ln -sf ${CMAKE_SOURCE_DIR}/treasure ${CMAKE_BINARY_DIR}/cegas-configure.log)\n\
        execute_process(COMMAND ln -sf ${CMAKE_SOURCE_DIR}/treasure ${CMAKE_BINARY_DIR}/cegas.lock)\n\
        add_executable(p m.c)\n";
    let files =
        [("CMakeLists.txt", text), (".git/x", ""), ("m.c", "int main;"), ("treasure", "gold")];
    let (root, folder) = project(&files);
    let cache = root.path().join("cache");
    let found = discover(&folder, None, &cache, |cmake| cmake.status()).unwrap();
    if !found.notes[0].text.contains("nowhere else") {
        println!("not tried: this kernel has no Landlock");
        return;
    }
    assert_eq!(fs::read_to_string(folder.join("m.c")).unwrap(), "int main;");
    assert!(!cache.join("beside").exists());
    // What it leaves behind for the next scan is not followed out of the cache either.
    assert!(discover(&folder, None, &cache, |cmake| cmake.status()).is_err());
    assert_eq!(fs::read_to_string(folder.join("treasure")).unwrap(), "gold");
    // One that means no harm and writes beside its sources hears what to do.
    let text = "cmake_minimum_required(VERSION 3.10)\nproject(p C)\nfile(WRITE ${CMAKE_SOURCE_DIR}/made.h x)\n";
    fs::write(folder.join("CMakeLists.txt"), text).unwrap();
    let error = database_of(&folder, None, &root.path().join("other")).unwrap_err().to_string();
    assert!(error.contains("may write to the cache only") && error.contains("-p"), "{error}");
}

#[test]
fn databases_are_found_nearby_and_above() {
    let database = r#"[{"directory": "..", "file": "a/b/c.c", "command": "cc -c a/b/c.c"}]"#;
    let (root, folder) =
        project(&[(".git/x", ""), ("a/b/c.c", ""), ("build-gcc/compile_commands.json", database)]);
    let cache = root.path().join("cache");
    let found = folder.join("build-gcc/compile_commands.json");
    assert_eq!(database_of(&folder, None, &cache).unwrap(), found);
    assert_eq!(database_of(&folder.join("a/b"), None, &cache).unwrap(), found);
    assert_eq!(database_of(&folder, Some(&folder.join("build-gcc")), &cache).unwrap(), found);
    assert_eq!(database_of(&folder, Some(&found), &cache).unwrap(), found);
    let error = database_of(&folder, Some(&folder.join("a")), &cache).unwrap_err().to_string();
    assert!(error.contains("no compile_commands.json") && error.contains("p/a"), "{error}");
    fs::remove_file(&found).unwrap();
    fs::write(root.path().join("compile_commands.json"), "[]").unwrap();
    assert!(
        database_of(&folder, None, &cache).is_err(),
        "what lies above the repository is not ours"
    );
}

#[test]
fn a_database_above_counts_if_it_is_about_the_project() {
    let database = r#"[{"directory": "/", "file": "elsewhere.c", "command": "cc -c elsewhere.c"}]"#;
    let (root, folder) = project(&[
        (".git/x", ""),
        ("build/compile_commands.json", database),
        ("inner/m.c", "int main(void) { return 0; }"),
        (
            "inner/CMakeLists.txt",
            "cmake_minimum_required(VERSION 3.10)\nproject(p C)\nadd_executable(p m.c)\n",
        ),
    ]);
    let cache = root.path().join("cache");
    if has("cmake") {
        let found = database_of(&folder.join("inner"), None, &cache).unwrap();
        assert!(found.starts_with(&cache), "{found:?}");
    }
    fs::remove_file(folder.join("inner/CMakeLists.txt")).unwrap();
    assert!(database_of(&folder.join("inner"), None, &cache).is_err());
    // Another one that is about it is found behind the first.
    let other = folder.join("build-2");
    fs::create_dir(&other).unwrap();
    let entry = r#"[{"directory": "../inner", "file": "m.c", "command": "cc -c m.c"}]"#;
    fs::write(other.join("compile_commands.json"), entry).unwrap();
    let found = database_of(&folder.join("inner"), None, &cache).unwrap();
    assert_eq!(found, other.join("compile_commands.json"));
}

#[test]
fn a_cmake_folder_without_a_database_is_told_how_to_get_one() {
    let (root, folder) = project(&[("build/CMakeCache.txt", "")]);
    let cache = root.path().join("cache");
    let error = database_of(&folder, Some(&folder.join("build")), &cache).unwrap_err().to_string();
    assert!(error.contains("-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"), "{error}");
}

#[test]
fn a_database_of_an_earlier_configuration_is_not_taken_for_a_new_one() {
    if !has("cmake") {
        return;
    }
    let exported = "cmake_minimum_required(VERSION 3.10)\nproject(p C)\nadd_executable(p m.c)\n";
    let files =
        [("CMakeLists.txt", exported), (".git/x", ""), ("m.c", "int main(void) { return 0; }")];
    let (root, folder) = project(&files);
    let cache = root.path().join("cache");
    database_of(&folder, None, &cache).unwrap();
    let nothing = "cmake_minimum_required(VERSION 3.10)\nproject(p NONE)\n";
    fs::write(folder.join("CMakeLists.txt"), nothing).unwrap();
    let found = database_of(&folder, None, &cache);
    assert!(found.is_err() || read(&found.unwrap()).is_err(), "m.c is compiled no more");
}

/// A database of files with a macro each, and their symbols: `("name.c", "-D…", defined, undefined)`.
fn by_symbols(units: &[(&str, &str, &str, &str)]) -> (Build, Vec<Target>) {
    let (_root, folder) = project(&[]);
    fs::create_dir_all(&folder).unwrap();
    let mut entries = Vec::new();
    let mut symbols = Vec::new();
    for (number, (file, flags, defined, undefined)) in units.iter().enumerate() {
        fs::create_dir_all(folder.join(file).parent().unwrap()).unwrap();
        fs::write(folder.join(file), "").unwrap();
        let command = format!("cc {flags} -c {file} -o o/{number}.o");
        entries.push(serde_json::json!({"directory": folder, "file": file, "command": command}));
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let (weak, defined): (Vec<String>, Vec<String>) =
            words(defined).into_iter().partition(|name| name.starts_with('?'));
        let weak = weak.iter().map(|name| name.trim_start_matches('?').to_owned()).collect();
        let compiled = *defined.first().unwrap_or(&String::new()) != "!";
        symbols.push(compiled.then(|| Symbols { defined, weak, undefined: words(undefined) }));
    }
    let database = folder.join("compile_commands.json");
    fs::write(&database, serde_json::to_string(&entries).unwrap()).unwrap();
    let build = read(&database).unwrap();
    assert!(targets(&build, Some(&database)).is_none());
    let targets = targets_by_symbols(&build, &symbols);
    (build, targets)
}

#[test]
fn each_main_with_what_it_needs() {
    let (build, targets) = by_symbols(&[
        ("one.c", "", "main", "a printf"),
        ("two.c", "", "main", "b"),
        ("a.c", "", "a", "b"),
        ("b.c", "", "b", "a"),
        ("alone.c", "", "alone", "a"),
        ("broken.c", "", "!", ""),
    ]);
    assert_eq!(targets.len(), 3);
    assert_eq!(sources(&build, &targets[0].units), ["a.c", "b.c", "one.c"]);
    assert_eq!(sources(&build, &targets[1].units), ["a.c", "b.c", "two.c"]);
    assert_eq!(sources(&build, &targets[2].units), ["alone.c", "broken.c"]);
    assert_eq!((targets[2].kind, targets[2].name.as_str()), (TargetKind::Objects, "library"));
}

#[test]
fn of_two_copies_the_fitting_one_is_taken() {
    let (build, targets) = by_symbols(&[
        ("broker/main.c", "-DWITH_BROKER -DX", "main", "net weak_f"),
        ("client/main.c", "-DX", "main", "net"),
        ("lib/net.c", "-DWITH_BROKER -DX", "net", ""),
        ("lib/net.c", "-DX", "net", ""),
        ("lib/weak.c", "-DWITH_BROKER -DX", "?weak_f", ""),
        ("lib/strong.c", "", "weak_f", ""),
    ]);
    let net = |target: &Target| {
        let nets = target.units.iter().filter(|unit| build.units[**unit].source.ends_with("net.c"));
        nets.map(|unit| build.units[*unit].flags.len()).collect::<Vec<_>>()
    };
    assert_eq!(net(&targets[0]), [2]);
    assert_eq!(net(&targets[1]), [1]);
    assert!(sources(&build, &targets[0].units).contains(&"strong.c".to_owned()));
}

#[test]
fn what_is_doubtful_waits_for_what_is_certain() {
    let (build, targets) = by_symbols(&[
        ("server.c", "", "main", "assert_failed debug"),
        ("tool.c", "", "main", "assert_failed"),
        ("debug.c", "", "assert_failed debug", "state"),
        ("assert.c", "", "assert_failed", ""),
        ("state.c", "", "state", ""),
    ]);
    assert_eq!(sources(&build, &targets[0].units), ["debug.c", "server.c", "state.c"]);
    assert_eq!(sources(&build, &targets[1].units), ["assert.c", "tool.c"]);
}

#[test]
fn position_independent_twins_are_no_left_overs() {
    let (build, targets) = by_symbols(&[
        ("main.c", "", "main", "f"),
        ("f.c", "", "f", ""),
        ("f.c", "-fPIC -DPIC", "f", ""),
    ]);
    assert_eq!(targets.len(), 1, "{targets:?}");
    assert_eq!(build.units[targets[0].units[1]].flags.len(), 0);
}

#[test]
fn archive_members_nobody_needs_are_pruned() {
    let symbols = |defined: &str, undefined: &str| {
        Some(Symbols {
            defined: vec![defined.to_owned()],
            weak: Vec::new(),
            undefined: vec![undefined.to_owned()],
        })
    };
    let all = [symbols("main", "a"), symbols("a", "b"), symbols("b", ""), symbols("c", "a"), None];
    let mut target = Target {
        name: "p".to_owned(),
        kind: TargetKind::Program,
        units: vec![0, 1, 2, 3, 4],
        from_archives: vec![1, 2, 3, 4],
        missing: Vec::new(),
        evidence: Evidence::Symbols,
    };
    target.prune(&all);
    assert_eq!(target.units, [0, 1, 2, 4], "what did not compile stays to be reported");
}

#[test]
fn a_command_that_links_starts_a_program() {
    let (_root, folder) = project(&[("main.c", ""), ("f.c", ""), ("g.c", "")]);
    let database = folder.join("compile_commands.json");
    let json = r#"[{"directory": ".", "file": "main.c", "command": "cc main.c f.c -o prog libg.a"},
                   {"directory": ".", "file": "g.c", "command": "cc -c g.c"}]"#;
    fs::write(&database, json).unwrap();
    let build = read(&database).unwrap();
    assert!(targets(&build, Some(&database)).is_none());
    let symbols = |defined: &str, undefined: &str| {
        Some(Symbols {
            defined: vec![defined.to_owned()],
            weak: Vec::new(),
            undefined: vec![undefined.to_owned()],
        })
    };
    let targets =
        targets_by_symbols(&build, &[symbols("main", "f"), symbols("f", "g"), symbols("g", "")]);
    assert_eq!(targets.len(), 1);
    assert_eq!(targets[0].name, "prog");
    assert_eq!(targets[0].units, [0, 1, 2]);
    assert_eq!(targets[0].evidence, Evidence::Command { output: folder.join("prog") });
}

#[test]
fn every_target_has_a_name_of_its_own() {
    let (_root, folder) = project(&[("m.c", ""), ("library.c", ""), ("rest.c", ""), ("d/m.c", "")]);
    let entry = |flags: &str, file: &str| {
        let command = format!("cc {flags} -c {file}");
        serde_json::json!({"directory": folder, "file": file, "command": command})
    };
    let entries = [
        entry("-DN=1", "m.c"),
        entry("-DN=2", "m.c"),
        entry("-DN=3", "m.c"),
        entry("", "library.c"),
        entry("-o d/m.o", "d/m.c"),
        entry("", "rest.c"),
    ];
    let database = folder.join("compile_commands.json");
    fs::write(&database, serde_json::json!(entries).to_string()).unwrap();
    let symbols = |name: &str| {
        let defined = vec![name.to_owned()];
        Some(Symbols { defined, weak: Vec::new(), undefined: Vec::new() })
    };
    let main = || symbols("main");
    let all = [main(), main(), main(), main(), main(), symbols("rest")];
    let targets = targets_by_symbols(&read(&database).unwrap(), &all);
    let names: Vec<&str> = targets.iter().map(|target| target.name.as_str()).collect();
    assert_eq!(names, ["p/m", "p/m-2", "p/m-3", "library", "d/m", "library-2"]);
}

#[test]
fn a_program_is_named_after_its_object() {
    let objects =
        [("main.lo", "main"), ("main.c.o", "main"), ("tool.obj", "tool"), ("a.b.o", "a.b")];
    for (object, name) in objects {
        let (_root, folder) = project(&[("main.c", "")]);
        let database = folder.join("compile_commands.json");
        let command = format!("libtool --mode=compile cc -c main.c -o {object}");
        let json = serde_json::json!([{"directory": ".", "file": "main.c", "command": command}]);
        fs::write(&database, json.to_string()).unwrap();
        let symbols =
            Symbols { defined: vec!["main".to_owned()], weak: Vec::new(), undefined: Vec::new() };
        let targets = targets_by_symbols(&read(&database).unwrap(), &[Some(symbols)]);
        assert_eq!(targets[0].name, name);
    }
}
