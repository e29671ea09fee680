//! Link commands that build systems leave on disk: CMake's `link.txt` and `build.ninja`.
//!
//! Invariant: the commands are only read. Objects are found among the build's units by their path.

use crate::{
    Build, Evidence, Target,
    assemble::{Assembly, Call, Maker},
    ninja, targets,
    tool::{self, Tool},
    words,
};
use std::{
    collections::HashMap,
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
};

/// How deep below the build folder a `link.txt` is looked for.
const MAX_DEPTH: usize = 24;

/// A link command, the folder it runs in, and the file that has it.
struct Script {
    directory: PathBuf,
    words: Vec<OsString>,
    evidence: Evidence,
}

pub(crate) fn find_targets(build: &Build, build_dir: &Path) -> Option<Vec<Target>> {
    let scripts = link_txts(build_dir).or_else(|| ninja_links(build_dir))?;
    let mut assembly = with_units_of(build);
    let mut evidence = HashMap::new();
    // Twice, because a program's script may be read before the one of the library it needs.
    for _ in 0..2 {
        for script in &scripts {
            let before = assembly.build.links.len();
            let (directory, words) = (script.directory.clone(), script.words.clone());
            assembly.call(Call { directory, words, ..Call::default() });
            if assembly.build.links.len() > before {
                evidence.insert(before, script.evidence.clone());
            }
        }
    }
    let of = |index: usize| evidence.get(&index).cloned().unwrap_or(Evidence::LeftOver);
    let links = assembly.build.links;
    let targets = targets::of_links(build, &links, |index, _| (None, of(index)));
    (!targets.is_empty()).then_some(targets)
}

/// An assembly that knows the objects of a build, also those of what is not analysed, but none of its links.
fn with_units_of(build: &Build) -> Assembly {
    let mut assembly = Assembly::new(false);
    for (index, unit) in build.units.iter().enumerate() {
        if let Some(output) = &unit.output {
            let key = assembly.paths.key(output);
            assembly.makers.insert(key, Maker::Unit(index));
        }
    }
    for (index, skipped) in build.skipped.iter().enumerate() {
        for output in &skipped.outputs {
            let key = assembly.paths.key(output);
            assembly.makers.insert(key, Maker::Skipped(index));
        }
    }
    assembly.build.units.clone_from(&build.units);
    assembly.build.skipped.clone_from(&build.skipped);
    assembly
}

fn link_txts(build_dir: &Path) -> Option<Vec<Script>> {
    let mut files = Vec::new();
    find_link_txts(build_dir, 0, &mut files);
    files.sort();
    let mut scripts = Vec::new();
    for file in files {
        // <folder>/CMakeFiles/<target>.dir/link.txt runs in <folder>.
        let Some(directory) = file.ancestors().nth(3) else { continue };
        let text = words::read_small(&file).unwrap_or_default();
        for line in text.split(|&byte| byte == b'\n') {
            let words = words::split(line).unwrap_or_default();
            if is_link(&words) {
                let evidence = Evidence::LinkTxt { file: file.clone() };
                scripts.push(Script { directory: directory.to_owned(), words, evidence });
            }
        }
    }
    (!scripts.is_empty()).then_some(scripts)
}

fn find_link_txts(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        // The type of the entry itself: symbolic links are not followed, so this ends.
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        let path = entry.path();
        if is_folder && depth < MAX_DEPTH {
            let script = path.join("link.txt");
            if folder.ends_with("CMakeFiles") && script.is_file() {
                found.push(script);
            } else if !path.ends_with(".git") {
                find_link_txts(&path, depth + 1, found);
            }
        }
    }
}

fn ninja_links(build_dir: &Path) -> Option<Vec<Script>> {
    let file = build_dir.join("build.ninja");
    let commands = ninja::commands(&file, is_link)?;
    let evidence = || Evidence::BuildNinja { file: file.clone() };
    let script = |words| Script { directory: build_dir.to_owned(), words, evidence: evidence() };
    let scripts: Vec<Script> = commands.into_iter().map(script).collect();
    (!scripts.is_empty()).then_some(scripts)
}

fn is_link(words: &[OsString]) -> bool {
    let [program, arguments @ ..] = tool::peel(words) else { return false };
    let name = Path::new(program).file_name().unwrap_or(program);
    match tool::named(name) {
        Some(Tool::Archiver | Tool::Linker) => true,
        Some(Tool::Compiler | Tool::CxxCompiler) => {
            !arguments.iter().any(|word| word == "-c" || word == "-E" || word == "-S")
        }
        Some(Tool::Inner | Tool::Assembler | Tool::Objcopy | Tool::Launcher) | None => false,
    }
}
