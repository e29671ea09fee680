//! Verdicts that an earlier scan came to, taken again if nothing they depend on has changed.
//!
//! All verdicts on a program are found under the part of it that executions from the entry can come to
//! ([`link::part`]), with its constants, types, names and places, then what is asked (rules, entry, options) and this
//! build of the tool. If that has changed, those on the functions for which nothing has changed that may come before them,
//! or from the entries of a library that come to nothing that has changed, are taken one by one ([`check::Memory`]), and
//! the rest is decided. A function that only other programs use may
//! change, as may a comment that moves no line or a header's unused declaration: nothing is decided anew.
//!
//! Invariant: what is recalled is what would be decided, since only the part is ever decided on. Where time ended
//! the work, the time is part of the key, too; what an interrupted scan came to is not kept.

use crate::cancel::Cancel;
use crate::check::{self, Checked, Memory, depends_on_time};
use crate::config::{Engine, Settings};
use crate::frontend::cache::{Cache, Key, Kind};
use crate::frontend::tool_stamp;
use crate::ir::{self, Program};
use crate::link;
use crate::progress::Stage;
use crate::versions::Versions;

/// The verdicts on a program: on the part that is executed, recalled or decided, and on the rest, which is safe.
pub(super) fn check(
    program: &Program,
    settings: &Settings,
    cache: &Cache,
    deciding: &Stage,
    cancel: &Cancel,
) -> Checked {
    let roots = check::roots(program, settings);
    // Without a place to start from, nothing is decided.
    let part = (!roots.funcs.is_empty()).then(|| link::part(program, &roots.funcs, &roots.globals));
    debug_assert!(part.as_ref().is_none_or(|part| ir::verify(part).is_ok()), "a malformed part");
    // That would be a bug of ours; the whole is as good.
    let Some(part) = part.filter(|part| ir::verify(part).is_ok()) else {
        return recalled(program, settings, cache, deciding, cancel);
    };
    let mut checked = recalled(&part, settings, cache, deciding, cancel);
    let unused = check::never_reached(program, &part, settings);
    deciding.more(unused.len());
    deciding.steps(unused.len());
    checked.obligations.extend(unused);
    check::in_order(&mut checked.obligations);
    checked.reached = part.funcs.values().map(|func| func.name.clone()).collect();
    checked
}

/// Recalls the verdicts on a program, or decides them.
fn recalled(
    program: &Program,
    settings: &Settings,
    cache: &Cache,
    deciding: &Stage,
    cancel: &Cancel,
) -> Checked {
    let Some(key) = key(program, settings) else {
        return check::check(program, settings, &mut Memory::default(), deciding, cancel);
    };
    let timed = timed(&key, settings);
    for key in [&key, &timed] {
        let known = cache.get(Kind::Verdicts, key);
        if let Some(mut checked) =
            known.and_then(|bytes| serde_json::from_slice::<Checked>(&bytes).ok())
        {
            checked.obligations.iter_mut().for_each(|obligation| obligation.share_names());
            deciding.more(checked.obligations.len());
            deciding.steps(checked.obligations.len());
            deciding.say(&format!("{}: nothing has changed", program.name));
            return checked;
        }
    }
    let place = memory_key(program, settings);
    let known = cache.get(Kind::Verdicts, &place);
    let known = known.and_then(|bytes| postcard::from_bytes::<Memory>(&bytes).ok());
    let mut memory = known.unwrap_or_default();
    let checked = check::check(program, settings, &mut memory, deciding, cancel);
    let is_timeless = checked.complete && !checked.obligations.iter().any(depends_on_time);
    if cancel.is_wished() || checked.failed {
        return checked;
    }
    if !memory.is_empty()
        && let Ok(bytes) = postcard::to_allocvec(&memory)
    {
        drop(memory);
        cache.put(Kind::Verdicts, &place, &bytes);
    }
    let key = if is_timeless { &key } else { &timed };
    cache.put_by(Kind::Verdicts, key, |out| Ok(serde_json::to_writer(out, &checked)?));
    checked
}

/// What the verdicts on a program depend on, but for the time.
fn key(program: &Program, settings: &Settings) -> Option<Key> {
    if settings.given.is_some() {
        return None;
    }
    let model = postcard::to_allocvec(program).ok()?;
    Some(Key::of([asked(settings).bytes(), &model]))
}

/// Where the verdicts on a program are kept, function by function, with all they depend on that is not in the program.
fn memory_key(program: &Program, settings: &Settings) -> Key {
    let machine = format!("{:?}", program.machine);
    let parts = [b"by function", program.name.as_bytes(), machine.as_bytes()];
    Key::of([asked(settings).bytes()].into_iter().chain(parts))
}

/// What is asked, how, and by which build of the tool.
fn asked(settings: &Settings) -> Key {
    let (stamp, z3) = (tool_stamp(), Versions::linked().z3);
    let root = settings.root.as_os_str().as_encoded_bytes();
    let engine = match settings.engine {
        Engine::Auto => 0,
        Engine::Cegas => 1,
        Engine::Sse => 2,
        Engine::Proofs => 3,
    };
    let options = [
        u8::from(settings.malloc_may_fail),
        u8::from(settings.frees_all),
        u8::from(settings.null_arguments),
        engine,
        u8::from(settings.explain_path),
        u8::from(settings.outputs.proofs.is_some()),
    ];
    let parts = [stamp.as_bytes(), z3.as_bytes(), root, &options];
    let list = |list: &mut dyn Iterator<Item = &str>| Key::of(list.map(str::as_bytes));
    let lists = [
        list(&mut settings.rules.iter().copied()),
        list(&mut settings.entries.iter().map(String::as_str)),
        list(&mut settings.judged_elsewhere.iter().map(String::as_str)),
        list(&mut settings.forbidden.iter().map(String::as_str)),
        list(&mut settings.assertions.iter().map(String::as_str)),
    ];
    let lists = lists.iter().map(Key::bytes);
    Key::of(parts.into_iter().chain(lists))
}

fn timed(key: &Key, settings: &Settings) -> Key {
    Key::of([key.bytes(), &settings.timeout.as_nanos().to_le_bytes()])
}
