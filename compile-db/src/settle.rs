//! The end of a recording: calls of a parallel build came in any order and configure scripts tried things out.
//!
//! Invariant: what leaves here depends only on what was built, not on when; every index is remapped.

use crate::{
    Build, Link, Part,
    assemble::{Assembly, Maker},
};
use std::{
    collections::BTreeSet,
    ffi::OsStr,
    path::{Component, Path, PathBuf},
};

/// Objects named in a note before it says "and more".
const NAMED: usize = 5;

impl Assembly {
    pub(crate) fn settle(mut self) -> Build {
        self.note_unknown();
        let current = self.current_units();
        let build = &mut self.build;

        // Links first: those that hold nothing of the project were probes or foreign. What is still there and is made of
        // what nobody was seen to make is neither.
        let is_kept = |link: &Link| {
            !link.parts.is_empty() || !link.unknown.is_empty() && link.output.exists()
        };
        let mut links: Vec<usize> = (0..build.links.len()).collect();
        links.retain(|&index| build.links.get(index).is_some_and(is_kept));
        links.sort_by_key(|&index| build.links.get(index).map(|link| link.output.clone()));
        let mut units: Vec<usize> = current.into_iter().collect();
        units.sort_by_key(|&index| build.units.get(index).cloned());
        let mut skipped: Vec<usize> = (0..build.skipped.len()).collect();
        skipped.sort_by_key(|&index| build.skipped.get(index).cloned());

        let new_unit = inverse(&units, build.units.len());
        let new_link = inverse(&links, build.links.len());
        let new_skipped = inverse(&skipped, build.skipped.len());
        let renumber = |part: Part| {
            Some(match part {
                Part::Unit(unit) => Part::Unit(*new_unit.get(unit)?.as_ref()?),
                Part::Link { link, whole } => {
                    Part::Link { link: *new_link.get(link)?.as_ref()?, whole }
                }
                Part::Skipped(skipped) => Part::Skipped(*new_skipped.get(skipped)?.as_ref()?),
            })
        };
        for link in &mut build.links {
            link.parts = link.parts.iter().filter_map(|part| renumber(*part)).collect();
        }
        build.units = picked(&build.units, &units);
        build.links = picked(&build.links, &links);
        build.skipped = picked(&build.skipped, &skipped);
        self.finish()
    }

    /// Units that went into something, or whose object is still theirs: an object compiled again
    /// with other flags before anybody used it was never part of anything.
    fn current_units(&mut self) -> BTreeSet<usize> {
        let parts = self.build.links.iter().flat_map(|link| &link.parts);
        let used = parts.filter_map(|part| match part {
            Part::Unit(unit) => Some(*unit),
            Part::Link { .. } | Part::Skipped(_) => None,
        });
        let used: BTreeSet<usize> = used.collect();
        let current = self.makers.values().filter_map(|maker| match maker {
            Maker::Unit(unit) => Some(*unit),
            Maker::Link(_) | Maker::Skipped(_) => None,
        });
        current.chain(used).collect()
    }

    fn note_unknown(&mut self) {
        // A link that is gone together with its inputs was a probe.
        let unknown = self.build.links.iter().flat_map(|link| {
            let there = link.output.exists();
            link.unknown.iter().filter(move |input| there || input.exists()).cloned()
        });
        let unknown: BTreeSet<PathBuf> = unknown.collect();
        if unknown.is_empty() {
            return;
        }
        let names: Vec<String> =
            unknown.iter().take(NAMED).map(|path| path.display().to_string()).collect();
        let more = if unknown.len() > NAMED { " and more" } else { "" };
        let text = format!(
            "linked, but never seen compiled: {}{more}; they were built before this recording (clean and record \
             again) or by a compiler called by its absolute path",
            names.join(", ")
        );
        let subject = match unknown.len() {
            1 => "1 object or library".to_owned(),
            several => format!("{several} objects or libraries"),
        };
        self.note(&subject, &text);
    }
}

/// Where each old index went.
fn inverse(order: &[usize], length: usize) -> Vec<Option<usize>> {
    let mut new = vec![None; length];
    for (position, &old) in order.iter().enumerate() {
        if let Some(slot) = new.get_mut(old) {
            *slot = Some(position);
        }
    }
    new
}

fn picked<T: Clone>(all: &[T], order: &[usize]) -> Vec<T> {
    order.iter().filter_map(|&index| all.get(index).cloned()).collect()
}

/// Whether a build system compiled this to learn about the compiler. `product` is what came of it. The folders are build
/// systems' own, and things are left lying about there; a file name alone may be a project's, too: then what belongs
/// to a probe is gone when the build has ended.
pub(crate) fn is_probe(source: &Path, product: &Path) -> bool {
    let mut after_cmake = false;
    let of_a_project = || source.exists() && product.exists() && !is_in_out_dir(source);
    for component in source.components() {
        let Component::Normal(name) = component else { continue };
        let name = name.to_string_lossy();
        let tried = name == "flag_check.c" || name.starts_with("conftest.");
        if name == "meson-private" || tried && !of_a_project() {
            return true;
        }
        let tries = [
            "CompilerId",
            "CMakeTmp",
            "CMakeScratch",
            "_CMakeLTOTest",
            "CheckTypeSize",
            "FindOpenMP",
        ];
        if after_cmake && tries.iter().any(|start| name.starts_with(start)) {
            return true;
        }
        after_cmake |= name == "CMakeFiles";
    }
    false
}

/// `…/build/package-hash/out/x.c`: cargo gives this folder to build scripts, which try the compiler in it.
fn is_in_out_dir(source: &Path) -> bool {
    let mut above = source.ancestors().skip(1).map(Path::file_name);
    let (folder, _package, builds) = (above.next(), above.next(), above.next());
    folder == Some(Some(OsStr::new("out"))) && builds == Some(Some(OsStr::new("build")))
}
