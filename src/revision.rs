//! The code of an earlier revision beside today's, for telling what is new since then.
//!
//! Invariant: the repository is read, never changed, and nothing in it is run. Git writes the revision's files
//! into a folder of ours by an index of its own: no checkout, no hook. What git does not know, such as
//! generated headers, is linked there from the project.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
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
}
