//! Files beside a database that come with a repository and mean harm.

use compile_db::{Evidence, read, targets};
use serde_json::{Value, json};
use std::{fs, os::unix::fs::symlink, path::Path, process::Command};

/// A reply of CMake about one program, whose parts may be elsewhere than CMake puts them.
fn reply(build_dir: &Path, index: &str, model: &str, target: &str) {
    let folder = build_dir.join(".cmake/api/v1/reply");
    fs::create_dir_all(&folder).unwrap();
    let write = |name: &str, value: Value| {
        if !name.starts_with("/") && !folder.join(name).exists() {
            fs::write(folder.join(name), value.to_string()).unwrap();
        }
    };
    let paths = json!({"build": ".", "source": "."});
    write(
        index,
        json!({
            "cmake": {
                "generator": {"multiConfig": false, "name": "Ninja"},
                "paths": {"cmake": "c", "cpack": "c", "ctest": "c", "root": "r"},
                "version": {"isDirty": false, "major": 3, "minor": 25, "patch": 1, "string": "3", "suffix": ""},
            },
            "objects": [{"jsonFile": model, "kind": "codemodel", "version": {"major": 2, "minor": 4}}],
            "reply": {},
        }),
    );
    write(
        model,
        json!({
            "configurations": [{
                "name": "", "projects": [], "directories": [],
                "targets": [{"directoryIndex": 0, "id": "p", "jsonFile": target, "name": "p", "projectIndex": 0}],
            }],
            "kind": "codemodel", "paths": paths, "version": {"major": 2, "minor": 4},
        }),
    );
    write(
        target,
        json!({
            "name": "p", "id": "p", "type": "EXECUTABLE", "paths": paths,
            "backtraceGraph": {"commands": [], "files": [], "nodes": []}, "dependencies": [],
            "sources": [{"path": "m.c", "compileGroupIndex": 0}], "compileGroups": [],
        }),
    );
}

fn cmake_is_believed(prepare: impl FnOnce(&Path)) -> bool {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fs::write(path.join("m.c"), "int main(void) { return 0; }").unwrap();
    let entry = json!([{"directory": ".", "file": "m.c", "command": "cc -c m.c"}]);
    let database = path.join("compile_commands.json");
    fs::write(&database, entry.to_string()).unwrap();
    prepare(path);
    let targets = targets(&read(&database).unwrap(), Some(&database)).unwrap_or_default();
    targets.iter().any(|target| matches!(target.evidence, Evidence::CmakeFileApi { .. }))
}

const FOLDER: &str = ".cmake/api/v1/reply";

#[test]
fn a_reply_of_cmake_is_read_from_its_own_folder_only() {
    assert!(cmake_is_believed(|path| reply(path, "index-1.json", "model.json", "p.json")));
    assert!(!cmake_is_believed(|path| reply(path, "index-1.json", "../model.json", "p.json")));
    assert!(!cmake_is_believed(|path| reply(path, "index-1.json", "model.json", "../p.json")));
}

#[test]
fn a_reply_of_cmake_that_never_ends_is_not_opened() {
    assert!(!cmake_is_believed(|path| reply(path, "index-1.json", "/dev/zero", "p.json")));
    assert!(!cmake_is_believed(|path| reply(path, "index-1.json", "model.json", "/dev/zero")));
    for place in ["index-1.json", "model.json", "p.json"] {
        assert!(!cmake_is_believed(|path| {
            fs::create_dir_all(path.join(FOLDER)).unwrap();
            symlink("/dev/zero", path.join(FOLDER).join(place)).unwrap();
            reply(path, "index-1.json", "model.json", "p.json");
        }));
        assert!(!cmake_is_believed(|path| {
            fs::create_dir_all(path.join(FOLDER)).unwrap();
            let fifo = Command::new("mkfifo").arg(path.join(FOLDER).join(place)).status();
            assert!(fifo.unwrap().success());
            reply(path, "index-1.json", "model.json", "p.json");
        }));
        assert!(!cmake_is_believed(|path| {
            fs::create_dir_all(path.join(FOLDER)).unwrap();
            let huge = fs::File::create(path.join(FOLDER).join(place)).unwrap();
            huge.set_len(1 << 40).unwrap();
            reply(path, "index-1.json", "model.json", "p.json");
        }));
    }
}
