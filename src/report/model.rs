//! Measuring a model for the report.

use super::Model;
use crate::ir::{Const, Inst, Program};
use rustc_hash::FxHashMap;
use std::path::{Path, PathBuf};

impl Model {
    pub fn of(program: &Program) -> Model {
        let mut model = Model {
            pointer_bits: program.machine.pointer_bits,
            functions: program.funcs.values().filter(|f| !f.blocks.is_empty()).count(),
            blocks: program.blocks.len(),
            instructions: program.insts.len(),
            globals: program.globals.len(),
            ..Model::default()
        };
        let mut count = |what| {
            *model.unsupported.entry(program.texts.get(what).to_owned()).or_default() += 1;
        };
        for data in program.insts.values() {
            if let Inst::Unsupported { what, .. } = data.inst {
                count(what);
            }
        }
        for (_, _, constant) in program.consts.iter() {
            if let Const::Unsupported(what) = *constant {
                count(what);
            }
        }
        let externals = program.funcs.values().filter(|f| {
            f.blocks.is_empty()
                && !f.name.starts_with("__VERIFIER_")
                && !f.name.starts_with("__cegas_")
        });
        model.externals = externals.map(|f| f.name.clone()).collect();
        model.externals.sort();
        model
    }
}

/// A path as reports name it: relative to the root if it lies below, symbolic links followed where they stay below.
pub fn shown_path(path: &Path, root: &Path) -> String {
    RealNames::default().shown(path, root)
}

/// A path of which links were followed as reports name it.
pub fn below_root(path: &Path, root: &Path) -> String {
    path.strip_prefix(root).unwrap_or(path).to_string_lossy().into_owned()
}

/// The files of a program by their real names, as far as they lie below the root: a repository knows a file by one name,
/// and very many places ask for it.
pub fn follow_links(program: &mut Program, root: &Path) {
    let mut names = RealNames::default();
    for file in program.debug.files.values_mut() {
        let path = file.path();
        let real = names.of(&path).filter(|real| real.starts_with(root) && *real != path);
        if let Some(real) = real {
            file.directory = root.to_string_lossy().into_owned();
            file.name = below_root(&real, root);
        }
    }
}

/// Files by their real names. Many lie in one folder, whose links are followed once.
#[derive(Debug, Default)]
pub struct RealNames {
    folders: FxHashMap<PathBuf, Option<PathBuf>>,
}

impl RealNames {
    /// A path as reports name it, see [`shown_path`].
    pub fn shown(&mut self, path: &Path, root: &Path) -> String {
        let real = self.of(path).filter(|real| real.starts_with(root));
        below_root(real.as_deref().unwrap_or(path), root)
    }

    /// Nothing if the file is not there.
    pub fn of(&mut self, file: &Path) -> Option<PathBuf> {
        let (Some(folder), Some(name)) = (file.parent(), file.file_name()) else {
            return file.canonicalize().ok();
        };
        if file.symlink_metadata().ok()?.is_symlink() {
            return file.canonicalize().ok();
        }
        let real = match self.folders.get(folder) {
            Some(real) => real.as_ref()?,
            None => {
                let real = folder.canonicalize().ok();
                self.folders.entry(folder.to_owned()).or_insert(real).as_ref()?
            }
        };
        Some(real.join(name))
    }
}

#[cfg(test)]
mod tests {
    use super::shown_path;

    #[test]
    fn a_link_to_the_project_is_the_project() {
        let top = tempfile::tempdir().unwrap();
        let root = top.path().canonicalize().unwrap().join("real");
        std::fs::create_dir_all(root.join("src")).unwrap();
        std::fs::write(root.join("src/a.c"), "").unwrap();
        let link = root.with_file_name("link");
        std::os::unix::fs::symlink(&root, &link).unwrap();
        for path in ["src/a.c", "src/../src/a.c"] {
            assert_eq!(shown_path(&root.join(path), &root), "src/a.c");
            assert_eq!(shown_path(&link.join(path), &root), "src/a.c");
        }
        std::os::unix::fs::symlink("src", root.join("inner")).unwrap();
        assert_eq!(shown_path(&root.join("inner/a.c"), &root), "src/a.c");
        std::os::unix::fs::symlink("/", root.join("outer")).unwrap();
        assert_eq!(shown_path(&root.join("outer/dev/null"), &root), "outer/dev/null");
        assert_eq!(shown_path("/no such/a.c".as_ref(), &root), "/no such/a.c");
    }
}
