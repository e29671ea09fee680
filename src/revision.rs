//! The code of an earlier revision beside today's, for telling what is new since then.
//!
//! Invariant: the repository is read, never changed, and nothing in it is run. Git writes the revision's files
//! into a folder of ours by an index of its own: no checkout, no hook. What git does not know, such as
//! generated headers, is linked there from the project.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

/// A commit of the project's repository.
#[derive(Debug)]
pub struct Revision {
    /// As the user names it.
    pub name: String,
    commit: String,
    root: PathBuf,
}

impl Revision {
    /// Looks a revision up in the repository at `root`.
    pub fn find(name: &str, root: &Path) -> Result<Self> {
        if !run(git(root).args(["rev-parse", "--git-dir"]))?.0 {
            bail!("{} is not in a git repository, which --diff-base needs", root.display());
        }
        let wanted = format!("{name}^{{commit}}");
        let (found, commit) = run(git(root)
            .args(["rev-parse", "--verify", "--quiet", "--end-of-options"])
            .arg(wanted))?;
        if !found {
            bail!("--diff-base: the repository {} has no revision `{name}`", root.display());
        }
        let commit = String::from_utf8_lossy(&commit).trim().to_owned();
        Ok(Self { name: name.to_owned(), commit, root: root.to_owned() })
    }

    /// Writes its files into an empty folder. `used` are the folders that compilers run in: what lies there is
    /// linked one by one, so that `..` leads to the revision and not to today's files.
    pub fn export(&self, folder: &Path, used: &BTreeSet<PathBuf>) -> Result<()> {
        let index = tempfile::tempdir().context("cannot make a temporary folder")?;
        let index = index.path().join("index");
        let cannot = || format!("git cannot write the files of {}", self.name);
        let mut prefix = folder.as_os_str().to_owned();
        prefix.push("/");
        let mut read = git(&self.root);
        read.env("GIT_INDEX_FILE", &index).args(["read-tree", &self.commit]);
        let mut write = git(&self.root);
        write.env("GIT_INDEX_FILE", &index).args(["checkout-index", "--all", "--quiet"]);
        let mut option = OsString::from("--prefix=");
        option.push(prefix);
        write.arg(option);
        for command in [&mut read, &mut write] {
            let (done, _) = run(command)?;
            if !done {
                bail!(cannot());
            }
        }
        self.export_submodules(folder, used)?;
        let mut others = git(&self.root);
        others.args(["ls-files", "--others", "--directory", "-z"]);
        let (_, names) = run(&mut others)?;
        for name in names.split(|byte| *byte == 0).filter(|name| !name.is_empty()) {
            let name = Path::new(OsStr::from_bytes(name));
            mirror(&self.root.join(name), &folder.join(name), used).with_context(cannot)?;
        }
        Ok(())
    }
}

impl Revision {
    /// Writes the files of the submodules, each at the commit that the revision names. One that does not have the commit is
    /// taken as it is today.
    fn export_submodules(&self, folder: &Path, used: &BTreeSet<PathBuf>) -> Result<()> {
        let mut tree = git(&self.root);
        tree.args(["ls-tree", "-r", "-z", "--full-tree", &self.commit]);
        let (listed, entries) = run(&mut tree)?;
        if !listed {
            bail!("git cannot list the files of {}", self.name);
        }
        for entry in entries.split(|byte| *byte == 0) {
            let Some((commit, path)) = submodule(entry) else { continue };
            let (here, there) = (self.root.join(path), folder.join(path));
            // An empty folder stands for it.
            if there.is_dir() {
                fs::remove_dir(&there)
                    .with_context(|| format!("cannot write {}", path.display()))?;
            }
            if !fs::symlink_metadata(&here).is_ok_and(|there| there.is_dir()) {
                continue;
            }
            let inner = Self { name: self.name.clone(), commit, root: here.clone() };
            let wanted = format!("{}^{{commit}}", inner.commit);
            let is_known = here.join(".git").exists()
                && run(git(&here).args(["cat-file", "-e"]).arg(wanted))?.0;
            if is_known {
                fs::create_dir_all(&there)?;
                inner.export(&there, used)?;
            } else {
                mirror(&here, &there, used)?;
            }
        }
        Ok(())
    }
}

/// The commit and the path of a line of `git ls-tree` that is about a submodule.
fn submodule(entry: &[u8]) -> Option<(String, &Path)> {
    let (about, path) = entry.split_at_checked(entry.iter().position(|byte| *byte == b'\t')?)?;
    let commit = about.strip_prefix(b"160000 commit ")?;
    let path = Path::new(OsStr::from_bytes(path.strip_prefix(b"\t")?));
    Some((String::from_utf8_lossy(commit).trim().to_owned(), path))
}

/// Links what is not part of any revision.
fn mirror(from: &Path, to: &Path, used: &BTreeSet<PathBuf>) -> Result<()> {
    if fs::symlink_metadata(to).is_ok() {
        return Ok(());
    }
    if let Some(parent) = to.parent() {
        fs::create_dir_all(parent)?;
    }
    if from.is_dir() && used.iter().any(|folder| folder.starts_with(from)) {
        fs::create_dir(to)?;
        for entry in fs::read_dir(from)? {
            let name = entry?.file_name();
            mirror(&from.join(&name), &to.join(&name), used)?;
        }
        return Ok(());
    }
    Ok(std::os::unix::fs::symlink(from, to)?)
}

/// Git in a folder, without what a hook's surroundings say and without programs of the repository's settings.
fn git(root: &Path) -> Command {
    let mut command = Command::new("git");
    command.arg("-C").arg(root);
    command.args(["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"]);
    for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX"] {
        command.env_remove(name);
    }
    command.env("GIT_OPTIONAL_LOCKS", "0");
    command
}

fn run(command: &mut Command) -> Result<(bool, Vec<u8>)> {
    let output = command.output().context("cannot run git, which --diff-base needs")?;
    Ok((output.status.success(), output.stdout))
}

/// A text in which paths below one folder are paths below another.
pub fn moved(text: &OsStr, from: &Path, to: &Path) -> OsString {
    let (bytes, from) = (text.as_bytes(), from.as_os_str().as_bytes());
    if from.len() < 2 {
        return text.to_owned();
    }
    let mut result = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
        let ends = |next: Option<&u8>| next.is_none_or(|next| b"/:;,\"' ".contains(next));
        if rest.starts_with(from) && ends(rest.get(from.len())) {
            result.extend_from_slice(to.as_os_str().as_bytes());
            at += from.len();
        } else {
            result.extend(rest.first());
            at += 1;
        }
    }
    OsString::from_vec(result)
}

/// Options that name a file or a folder, behind them or as the next word.
const PATHS: [&str; 10] = [
    "-I",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-isysroot",
    "-iprefix",
    "-include",
    "-imacros",
    "--sysroot=",
    "--sysroot",
];

/// The flags of a compiler that runs in `directory`, with what lies below one folder taken from another. A relative path
/// that crosses the folder's border would lead from elsewhere to somewhere else: it becomes absolute.
pub fn moved_flags(flags: &[OsString], directory: &Path, from: &Path, to: &Path) -> Vec<OsString> {
    let new_directory = PathBuf::from(moved(directory.as_os_str(), from, to));
    let path = |path: &OsStr| {
        let leads_to = |directory: &Path| clean(&directory.join(path));
        let is_relative = !path.is_empty() && Path::new(path).is_relative();
        let wanted = PathBuf::from(moved(leads_to(directory).as_os_str(), from, to));
        // What is not there is no path from here: `-include` looks for names in other folders, too.
        let crosses = leads_to(&new_directory) != wanted && directory.join(path).exists();
        (is_relative && crosses).then(|| wanted.into_os_string())
    };
    let mut option_before = false;
    let mut new = Vec::with_capacity(flags.len());
    for flag in flags {
        if flag == "-Xclang" {
            new.push(flag.clone());
            continue;
        }
        let is_option = PATHS.iter().any(|option| flag == option);
        let joined = || {
            PATHS.iter().find_map(|option| {
                let rest = flag.as_bytes().strip_prefix(option.as_bytes())?;
                let mut flag = OsString::from(option);
                flag.push(path(OsStr::from_bytes(rest))?);
                Some(flag)
            })
        };
        let crossing = match (option_before, is_option) {
            (true, _) => path(flag),
            (false, true) => None,
            (false, false) => joined(),
        };
        new.push(crossing.unwrap_or_else(|| moved(flag, from, to)));
        option_before = is_option && !option_before;
    }
    new
}

/// Removes `.` and `..` without asking the disk.
fn clean(path: &Path) -> PathBuf {
    let mut cleaned = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(cleaned.pop()),
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => cleaned.push(part),
        }
    }
    cleaned
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_move_as_wholes() {
        let moved = |text: &str| {
            let moved = moved(OsStr::new(text), Path::new("/a/b"), Path::new("/x"));
            moved.to_string_lossy().into_owned()
        };
        assert_eq!(moved("-I/a/b/include"), "-I/x/include");
        assert_eq!(moved("/a/b"), "/x");
        assert_eq!(moved("-I/a/bc"), "-I/a/bc");
        assert_eq!(moved("-DX=\"/a/b\""), "-DX=\"/x\"");
        assert_eq!(moved("../a/bé"), "../a/bé");
        let same = super::moved(OsStr::new("/a"), Path::new("/"), Path::new("/x"));
        assert_eq!(same, "/a");
    }

    #[test]
    fn paths_that_leave_the_folder_become_absolute() {
        let top = tempfile::tempdir().unwrap();
        let top = top.path();
        for folder in ["repo/out", "repo/inc", "shared"] {
            fs::create_dir_all(top.join(folder)).unwrap();
        }
        let flags = |directory: &str, flags: &[&str]| {
            let flags: Vec<OsString> = flags.iter().map(OsString::from).collect();
            let from = top.join("repo");
            let moved = moved_flags(&flags, &top.join(directory), &from, Path::new("/x"));
            moved.iter().map(|flag| flag.to_string_lossy().into_owned()).collect::<Vec<_>>()
        };
        let shared = top.join("shared");
        let shared = shared.to_string_lossy();
        let given =
            ["-I../../shared", "-I", "../inc", "-Xclang", "-include", "-Xclang", "../../shared"];
        let expected =
            [&format!("-I{shared}"), "-I", "../inc", "-Xclang", "-include", "-Xclang", &shared];
        assert_eq!(flags("repo/out", &given), expected);
        assert_eq!(flags("shared", &["-isystem", "../repo/inc"]), ["-isystem", "/x/inc"]);
        assert_eq!(flags("repo", &["-DX=../shared", "-I../none"]), ["-DX=../shared", "-I../none"]);
    }
}
