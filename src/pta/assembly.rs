//! Inline assembly (of x86) of which it is known where pointers go: single instructions that touch registers only. What comes out
//! is made of what went in. All other assembly is unknown code.
//!
//! Invariant: an instruction listed here writes no memory, whatever its operands are, and jumps nowhere.

use crate::ir::{Program, TextId};

const KNOWN: &[&str] = &[
    "pause", "yield", "nop", "mfence", "lfence", "sfence", "rdtsc", "rdtscp", "bswap", "bswapl",
    "bswapq", "bsr", "bsrl", "bsrq", "bsf", "bsfl", "bsfq", "popcnt", "lzcnt", "tzcnt",
];
/// `pause` as it was once written.
const PAUSES: &[&str] = &["rep; nop", "rep;nop", "rep nop"];

/// Whether the text is that of inline assembly that does nothing but make its result of its operands.
pub(super) fn is_known(program: &Program, what: TextId) -> bool {
    let triple = &program.machine.triple;
    let is_x86 = triple.starts_with("x86_64") || (triple.starts_with('i') && triple.contains("86"));
    is_x86 && is_on_registers(program.texts.get(what))
}

fn is_on_registers(what: &str) -> bool {
    let template = what.strip_prefix("inline assembly `").and_then(|rest| rest.strip_suffix('`'));
    if what == "llvm.x86.sse2.pause" {
        return true;
    }
    let Some(template) = template.map(|text| text.trim().trim_end_matches([';', '\n']).trim())
    else {
        return false;
    };
    let is_one = !template.contains([';', '\n', '\r', '#', '/', '(', '|']);
    let mnemonic = template.split_ascii_whitespace().next();
    PAUSES.contains(&template) || (is_one && mnemonic.is_some_and(|name| KNOWN.contains(&name)))
}

#[cfg(test)]
mod tests {
    use super::is_on_registers;

    #[test]
    fn single_instructions_on_registers() {
        let asm = |text: &str| is_on_registers(&format!("inline assembly `{text}`"));
        for text in
            ["pause", "rep; nop", "bsr $1, $0", "pause;", "bsfq  $1,$0", "bswap $0", "bswap ${0:q}"]
        {
            assert!(asm(text), "{text}");
        }
        let unknown = [
            "",
            "pause; mov $1, ($0)",
            "bsr $1, $0\n mov $0, ($1)",
            "mov $1, $0",
            "bswap $0; push $0",
            "rep; movsb",
            "xchg $0, $1",
            "bsr $1, $0 # x",
            "call f",
            "bsr ($1), $0",
        ];
        for text in unknown {
            assert!(!asm(text), "{text}");
        }
        assert!(is_on_registers("llvm.x86.sse2.pause"));
        assert!(!is_on_registers("the address of a temporary, kept"));
    }
}
