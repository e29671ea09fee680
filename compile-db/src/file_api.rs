//! CMake's own account of its targets: the codemodel of the File API, if somebody asked CMake for it.
//!
//! Invariant: the only user of the crate `cmake-file-api`. A reply that cannot be read is no evidence, not an error. A
//! reply may come with a repository: every file that it names is looked at before the crate opens it, which asks nothing.

use crate::{
    Build, Evidence, Link, LinkKind, Part, Target,
    linker::{Item, LinkLine},
    paths::{self, Paths},
    targets, words,
};
use cmake_file_api::{
    objects::{CodeModelV2, Object, codemodel_v2::Target as CmakeTarget},
    query, reply,
};
use serde_json::Value;
use std::{
    collections::{BTreeSet, HashMap},
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
};

/// The largest reply believed, all its files together; LLVM's has some 100 MB.
const MAX_BYTES: u64 = 1 << 29;

/// Asks CMake to write the codemodel at the next configuration of `build_dir`.
pub(crate) fn request(build_dir: &Path) -> Result<(), query::WriterError> {
    query::Writer::default().request_object::<CodeModelV2>().write_stateless(build_dir)
}

pub(crate) fn find_targets(build: &Build, build_dir: &Path) -> Option<Vec<Target>> {
    let model = read(build_dir)?;
    let listed = model.configurations.into_iter().next()?.targets;
    let model = Model::new(build_dir, &listed);
    let units = model.units_of_targets(build);
    let links: Vec<Link> = (0..listed.len()).map(|index| model.link(index, &units)).collect();
    let evidence = || Evidence::CmakeFileApi { build_dir: build_dir.to_owned() };
    let name = |index: usize| listed.get(index).map(|target: &CmakeTarget| target.name.clone());
    let targets = targets::of_links(build, &links, |index, _| (name(index), evidence()));
    (!targets.is_empty()).then_some(targets)
}

fn read(build_dir: &Path) -> Option<CodeModelV2> {
    let folder = reply::dir(build_dir);
    let index = reply::index_file(build_dir)?;
    let mut bytes = size(&folder, index.file_name()?.to_str()?)?;
    words::read_small(&index)?;
    let reader = reply::Reader::from_build_dir(build_dir).ok()?;
    let is_model = |kind, major| kind == CodeModelV2::kind() && major == CodeModelV2::major();
    let mut objects = reader.index().objects.iter();
    let model = objects.find(|object| is_model(object.kind, object.version.major))?;
    bytes += size(&folder, model.json_file.to_str()?)?;
    let text = words::read_small(&folder.join(&model.json_file))?;
    // The model names a file for each target and each folder, wherever in it.
    let mut open = vec![serde_json::from_slice(&text).ok()?];
    while let Some(value) = open.pop() {
        match value {
            Value::Array(values) => open.extend(values),
            Value::Object(fields) => {
                if let Some(Value::String(name)) = fields.get("jsonFile") {
                    // Counted each time, for it is read each time.
                    bytes += size(&folder, name)?;
                }
                open.extend(fields.into_iter().map(|(_, value)| value));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
        if bytes > MAX_BYTES {
            return None;
        }
    }
    reader.read_object().ok()
}

/// How large a file of the reply is: a regular file in this very folder, as CMake writes them. A link might lead to
/// what never ends.
fn size(folder: &Path, name: &str) -> Option<u64> {
    let metadata = fs::symlink_metadata(folder.join(name)).ok()?;
    (!name.contains('/') && metadata.is_file()).then_some(metadata.len())
}

struct Model<'a> {
    build_dir: PathBuf,
    targets: &'a [CmakeTarget],
    by_artifact: HashMap<PathBuf, usize>,
    by_id: HashMap<&'a str, usize>,
}

impl<'a> Model<'a> {
    fn new(build_dir: &Path, targets: &'a [CmakeTarget]) -> Model<'a> {
        let build_dir = build_dir.canonicalize().unwrap_or_else(|_| build_dir.to_owned());
        let mut by_artifact = HashMap::new();
        let mut by_id = HashMap::new();
        for (index, target) in targets.iter().enumerate() {
            by_id.insert(target.id.as_str(), index);
            for artifact in &target.artifacts {
                by_artifact.insert(paths::absolute(&build_dir, &artifact.path), index);
            }
        }
        Model { build_dir, targets, by_artifact, by_id }
    }

    /// CMake puts a target's objects into a folder named after it; what is compiled elsewhere goes by its source.
    fn units_of_targets(&self, build: &Build) -> HashMap<usize, BTreeSet<usize>> {
        let mut paths = Paths::default();
        let mut folders = HashMap::new();
        let mut sources: HashMap<PathBuf, Vec<usize>> = HashMap::new();
        for (index, target) in self.targets.iter().enumerate() {
            let folder = target.paths.build.join("CMakeFiles").join(format!("{}.dir", target.name));
            folders.insert(paths::absolute(&self.build_dir, folder), index);
        }
        let mut units: HashMap<usize, BTreeSet<usize>> = HashMap::new();
        let mut homeless = Vec::new();
        for (index, unit) in build.units.iter().enumerate() {
            let output = unit.output.as_deref().map(|output| paths.key(output));
            let mut above = output.iter().flat_map(|output| output.ancestors());
            match above.find_map(|folder| folders.get(folder)) {
                Some(&target) => drop(units.entry(target).or_default().insert(index)),
                None => homeless.push(index),
            }
        }
        if homeless.is_empty() {
            return units;
        }
        for (index, target) in self.targets.iter().enumerate() {
            for source in &target.sources {
                if source.compile_group_index.is_some()
                    && let Some(name) = source.path.file_name()
                {
                    sources.entry(name.into()).or_default().push(index);
                }
            }
        }
        for index in homeless {
            let source = build.units.get(index).map(|unit| unit.source.clone()).unwrap_or_default();
            let named = source.file_name().and_then(|name| sources.get(Path::new(name)));
            for &target in named.into_iter().flatten() {
                let listed = self.targets.get(target).is_some_and(|target| {
                    target.sources.iter().any(|listed| source.ends_with(&listed.path))
                });
                if listed {
                    units.entry(target).or_default().insert(index);
                }
            }
        }
        units
    }

    fn link(&self, index: usize, units: &HashMap<usize, BTreeSet<usize>>) -> Link {
        let empty = CmakeTarget::default();
        let target = self.targets.get(index).unwrap_or(&empty);
        let kind = match target.type_name.as_str() {
            "EXECUTABLE" => LinkKind::Executable,
            "SHARED_LIBRARY" | "MODULE_LIBRARY" => LinkKind::Shared,
            "STATIC_LIBRARY" => LinkKind::Archive,
            _ => LinkKind::Relocatable,
        };
        let own = units.get(&index).into_iter().flatten().map(|unit| Part::Unit(*unit));
        let mut parts: Vec<Part> = own.collect();
        // Object libraries are linked by their objects, which the codemodel names only as a dependency.
        for dependency in &target.dependencies {
            if let Some(&other) = self.by_id.get(dependency.id.as_str())
                && self.targets.get(other).is_some_and(|other| other.type_name == "OBJECT_LIBRARY")
            {
                parts.push(Part::Link { link: other, whole: true });
            }
        }
        let mut line = LinkLine::default();
        let fragments = target.link.iter().flat_map(|link| &link.command_fragments);
        for fragment in fragments.filter(|fragment| fragment.role == "libraries") {
            let words = words::split(fragment.fragment.as_bytes()).unwrap_or_default();
            words.iter().for_each(|word| take(&mut line, word));
        }
        let folder = paths::absolute(&self.build_dir, &target.paths.build);
        let mut libraries = Vec::new();
        for item in &line.items {
            match item {
                Item::File { path, whole } => {
                    // Relative to the target's own folder for make, to the topmost for ninja.
                    let link = [&folder, &self.build_dir].into_iter().find_map(|folder| {
                        let file = paths::absolute(folder, path);
                        let known = self.by_artifact.get(&file);
                        known.or_else(|| self.by_artifact.get(&unversioned(&file)?))
                    });
                    parts.extend(link.map(|&link| Part::Link { link, whole: *whole }));
                }
                Item::Library { name, .. } => libraries.push(name.to_string_lossy().into_owned()),
                Item::Source { .. } => {}
            }
        }
        let file = target.artifacts.first().map(|artifact| artifact.path.clone());
        let output =
            paths::absolute(&self.build_dir, file.unwrap_or_else(|| target.name.clone().into()));
        Link { output, kind, parts, unknown: Vec::new(), libraries }
    }
}

/// `libx.so` for `libx.so.1.2`: programs are linked with the latter where the artifact is the former.
fn unversioned(file: &Path) -> Option<PathBuf> {
    let name = file.file_name()?.to_str()?;
    let (stem, _version) = name.split_once(".so.")?;
    Some(file.with_file_name(format!("{stem}.so")))
}

/// A word of a compiler's link line.
fn take(line: &mut LinkLine, word: &OsString) {
    match word.to_str().and_then(|word| word.strip_prefix("-Wl,")) {
        Some(list) => list.split(',').for_each(|word| line.take(word.as_ref())),
        None => line.take(word),
    }
}
