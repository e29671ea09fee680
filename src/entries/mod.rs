//! Where executions begin: `main`, the functions that the user names, or every function of a library that the outside
//! can call.
//!
//! A function that nobody calls inside the program is given what its callers outside are assumed to give: pointers
//! point to valid objects of their types that do not overlap, numbers are arbitrary. [`given`] reads that off the
//! debug information, [`lengths`] finds the parameter that says how many elements a pointer points to. Objects behind
//! further pointers are made when they are looked at (`cegas::given`). [`globals`] says which variables
//! may hold something else than at the start, because other functions of the library have run before.
//!
//! Invariant: an entry says everything that it assumes ([`Entry::assumes`]). Without an assumption, what is found or
//! proved from it holds like from `main`.

mod given;
mod globals;
mod lengths;
mod reach;
mod texts;
pub mod types;

use crate::ir::{CTypeId, Const, FuncId, GlobalId, Linkage, Program};
use crate::library;
use cranelift_entity::EntitySet;
pub use reach::Reach;

/// A function that is called from outside.
#[derive(Debug, Clone)]
pub struct Entry {
    pub func: FuncId,
    /// What it is given, one for each parameter; nothing for `main`, which the machine knows.
    pub params: Option<Vec<Given>>,
    /// What variables hold when it is called.
    pub globals: Globals,
    /// It is one of the functions of a library.
    pub of_library: bool,
    /// What has to be true of its callers, in words.
    pub assumes: Vec<String>,
}

/// What variables hold when an entry is called.
#[derive(Debug, Clone, Default)]
pub enum Globals {
    /// What the program gives them; the constructors run first.
    #[default]
    Initial,
    /// These may hold anything of their type, because something else has run before.
    Changed(Vec<GlobalId>),
}

/// What a parameter is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Given {
    /// Any value.
    Any,
    /// The address of an object.
    Object { pointee: Option<CTypeId>, size: Size, null: Null },
    /// The address of a text that ends with a zero.
    Text { null: Null },
    /// The address of a function.
    Function { null: Null },
}

/// How large an object is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Size {
    /// So many bytes at least: nobody knows how many elements there are.
    AtLeast(u64),
    Exactly(u64),
    /// As many elements of so many bytes as a parameter says.
    Times {
        param: u32,
        unit: u64,
    },
}

/// Whether a pointer may be null.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Null {
    Never,
    /// The code asks, so it may be; but that alone is no reason to call it wrong.
    Asked,
    Maybe,
}

/// How entries are made.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// Every pointer that is not declared otherwise may be null.
    pub null_arguments: bool,
}

/// The entries of a program: the named ones, else `main`, else all that the outside can see, and those that are
/// `published` by their address.
pub fn entries(
    program: &Program,
    named: &[String],
    options: Options,
    published: impl FnOnce() -> EntitySet<FuncId>,
) -> Vec<Entry> {
    if !named.is_empty() {
        let known = named.iter().filter_map(|name| defined(program, name));
        return known.map(|func| chosen(program, func, options)).collect();
    }
    match defined(program, "main") {
        Some(main) => vec![Entry::plain(main)],
        None => library_entries(program, options, &published()),
    }
}

/// Why it is not clear which function of a program a name means: several units have one of their own.
pub fn ambiguous(program: &Program, name: &str) -> Option<String> {
    let first = program.func_by_name(name)?;
    if program.funcs[first].linkage != Linkage::Internal {
        return None;
    }
    // What is a unit's own gets a number where the name is taken.
    let is_other = |other: &str| {
        let number = other.strip_prefix(name).and_then(|rest| rest.strip_prefix('.'));
        number.is_some_and(|n| !n.is_empty() && n.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let all = program.funcs.values().filter(|f| f.name == name || is_other(&f.name));
    let places: Vec<String> = all
        .filter_map(|function| {
            let loc = &program.debug.locs[function.loc.expand()?];
            Some(format!("{}:{}", program.debug.files[loc.file].name, loc.line))
        })
        .collect();
    let several = places.len() > 1;
    several.then(|| format!("several functions are called `{name}`: {}", places.join(", ")))
}

fn defined(program: &Program, name: &str) -> Option<FuncId> {
    program.func_by_name(name).filter(|&func| !program.funcs[func].blocks.is_empty())
}

/// An entry that the user names: the program starts there, with its variables as they are at the start.
fn chosen(program: &Program, func: FuncId, options: Options) -> Entry {
    let function = &program.funcs[func];
    if function.name == "main" || function.params.is_empty() && !function.variadic {
        return Entry::plain(func);
    }
    let (params, assumes) = given::given(program, func, options);
    Entry { func, params: Some(params), globals: Globals::Initial, of_library: false, assumes }
}

/// What the loader and other programs call, by name or by address. Each may be called after the others, so variables may have changed.
fn library_entries(
    program: &Program,
    options: Options,
    published: &EntitySet<FuncId>,
) -> Vec<Entry> {
    let reach = Reach::new(program);
    let changing = globals::changing(program);
    let inside = reach.mentioned();
    let is_visible = |func: FuncId| {
        let function = &program.funcs[func];
        // What is hidden and has callers is judged through them.
        let is_own = function.attrs.hidden && inside.contains(func);
        (function.linkage != Linkage::Internal && !is_own)
            || program.constructors.contains(&func)
            || program.destructors.contains(&func)
            || published.contains(func)
            || has_other_name(program, func)
    };
    let mut entries: Vec<Entry> = Vec::new();
    for (func, function) in &program.funcs {
        if function.blocks.is_empty() || !is_visible(func) || library::is_model(program, func) {
            continue;
        }
        let (params, assumes) = given::given(program, func, options);
        let touched: Vec<GlobalId> =
            reach.globals(func).iter().filter(|&g| changing.contains(g)).collect();
        let globals = Globals::Initial;
        let mut entry = Entry { func, params: Some(params), globals, of_library: true, assumes };
        if touched.is_empty() {
            entries.push(entry);
            continue;
        }
        entry.globals = Globals::Changed(touched.clone());
        let names = touched.iter().map(|&g| globals::name(program, g)).collect::<Vec<_>>();
        entry.assumes.push(globals::assumed(&function.name, &names));
        entries.push(entry);
    }
    // What is small is decided first, and leaves its time to the others.
    entries.sort_by_cached_key(|entry| reach.instructions(entry.func));
    entries
}

/// Whether it is known by another name, too, which is there for others.
fn has_other_name(program: &Program, func: FuncId) -> bool {
    program.aliases.iter().any(|(_, of)| *program.consts.get(*of) == Const::Func(func))
}

/// The functions that the program itself calls, or of which it takes the address.
pub fn called_inside(program: &Program) -> EntitySet<FuncId> {
    Reach::new(program).mentioned()
}

impl Entry {
    /// Of each parameter, so many bytes that it surely points to, if it is no null pointer.
    pub fn promises(&self) -> Vec<Option<u64>> {
        let bytes = |given: &Given| match *given {
            Given::Object {
                size: Size::AtLeast(n) | Size::Exactly(n), null: Null::Never, ..
            } => Some(n),
            Given::Text { null: Null::Never } => Some(1),
            Given::Any | Given::Object { .. } | Given::Text { .. } | Given::Function { .. } => None,
        };
        self.params.iter().flatten().map(bytes).collect()
    }

    /// Where a program starts, or a function that is called without arguments.
    pub fn plain(func: FuncId) -> Entry {
        Entry {
            func,
            params: None,
            globals: Globals::Initial,
            of_library: false,
            assumes: Vec::new(),
        }
    }

    /// Whether it is one of many functions that are called in some order, not where the program starts.
    pub fn is_called_later(&self) -> bool {
        self.params.is_some() && self.of_library
    }

    /// The same entry with those variables as the program sets them at the start that it does not set to zero:
    /// they are how the library is configured as long as nobody changes it.
    pub fn configured(&self, program: &Program) -> Option<Entry> {
        let Globals::Changed(changed) = &self.globals else { return None };
        let is_zero = |global: GlobalId| {
            let init = program.globals[global].init.as_ref();
            init.is_none_or(|i| i.relocs.is_empty() && i.bytes.iter().all(|&byte| byte == 0))
        };
        let (kept, set): (Vec<GlobalId>, Vec<GlobalId>) =
            changed.iter().partition(|&&global| is_zero(global));
        if set.is_empty() {
            return None;
        }
        let mut entry = self.clone();
        let names: Vec<String> = set.iter().map(|&g| globals::name(program, g)).collect();
        entry.assumes.push(format!("nothing has changed {}", names.join(", ")));
        entry.globals = Globals::Changed(kept);
        Some(entry)
    }
}
