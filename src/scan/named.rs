//! The targets that the user names, also by the names that CMake gives them.
//!
//! CMake answers a query about its targets when it configures the next time. Until then what it leaves on disk is read, which
//! calls a target by its file: `libutil.a`, where CMake and its users say `util`.

use crate::project::Project;
use anyhow::{Result, bail};
use compile_db::{Evidence, Target};
use std::collections::BTreeSet;
use std::path::{Component, Path};

/// Leaves the targets that were named; all if none was.
pub(super) fn retain(targets: &mut Vec<Target>, names: &[String], project: &Project) -> Result<()> {
    let mut named = BTreeSet::new();
    for name in names {
        let so_called = |target: &Target| target.name == *name;
        let in_cmake = |target: &Target| in_cmake(target, project) == Some(name);
        let exact = targets.iter().any(so_called);
        let is_it = |target: &Target| if exact { so_called(target) } else { in_cmake(target) };
        named.extend(targets.iter().enumerate().filter(|(_, t)| is_it(t)).map(|(index, _)| index));
        if !targets.iter().any(is_it) {
            let known: Vec<&str> = targets.iter().map(|target| target.name.as_str()).collect();
            bail!("there is no target `{name}`; the build has {}", known.join(", "));
        }
    }
    let mut index = 0..;
    targets
        .retain(|_| index.next().is_some_and(|index| names.is_empty() || named.contains(&index)));
    Ok(())
}

/// CMake's name of a target, by the folder that it gives each: `CMakeFiles/<name>.dir`.
fn in_cmake<'p>(target: &'p Target, project: &'p Project) -> Option<&'p str> {
    match &target.evidence {
        Evidence::LinkTxt { file } => cmake_folder(file),
        Evidence::BuildNinja { .. } => {
            let own = target.units.iter().filter(|unit| !target.from_archives.contains(unit));
            let units = own.filter_map(|&unit| project.build.units.get(unit));
            let mut folders = units.map(|unit| unit.output.as_deref().and_then(cmake_folder));
            // With objects of others in it, nobody knows whose name is meant.
            let first = folders.next()??;
            folders.all(|other| other == Some(first)).then_some(first)
        }
        Evidence::CmakeFileApi { .. }
        | Evidence::RecordedLink { .. }
        | Evidence::Command { .. }
        | Evidence::Symbols
        | Evidence::Named
        | Evidence::LeftOver => None,
    }
}

fn cmake_folder(file: &Path) -> Option<&str> {
    let mut parts = file.components();
    parts.by_ref().find(|part| *part == Component::Normal("CMakeFiles".as_ref()))?;
    parts.next()?.as_os_str().to_str()?.strip_suffix(".dir")
}
