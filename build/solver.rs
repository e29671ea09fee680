//! Z3, loaded when the first question comes to it. Many programs are decided without one, and compilers that are our
//! own process never ask: loading and relocating Z3 would be a third of what such a process takes.
//!
//! Each of Z3's functions gets an entry of its own here, a jump through a table. The table leads to the loader until
//! that has filled it (`src/smt/z3/lazy.rs`). With all of Z3's names defined, the linker leaves the library out.

use std::path::Path;
use std::process::Command;

/// Of the processor whose jumps are written here.
const PROCESSOR: &str = "x86_64";

/// Makes the entries for the Z3 that set-up put beside the sources, whose version is known. Otherwise, or where something
/// is missing, Z3 is linked like any library.
pub fn load_when_asked(folder: &Path) -> Option<()> {
    if std::env::var("CARGO_CFG_TARGET_ARCH").ok()? != PROCESSOR
        || std::env::var("CARGO_CFG_TARGET_OS").ok()? != "linux"
    {
        return None;
    }
    let library = folder.join("libz3.so");
    let described = std::fs::read_to_string(folder.join("pkgconfig/z3.pc")).ok()?;
    let version = described.lines().find_map(|line| line.strip_prefix("Version:"))?.trim();
    let name = said(Command::new("readelf").arg("-d").arg(&library))?
        .lines()
        .find(|line| line.contains("(SONAME)"))?
        .split(['[', ']'])
        .nth(1)?
        .to_owned();
    let symbols = said(Command::new("nm").args(["-D", "--defined-only"]).arg(&library))?;
    let functions: Vec<&str> = symbols
        .lines()
        .filter_map(|line| line.split_once(" T ").map(|(_, name)| name))
        .filter(|name| name.starts_with("Z3_"))
        .collect();
    if functions.is_empty() {
        return None;
    }
    let out = std::env::var_os("OUT_DIR")?;
    let source = Path::new(&out).join("z3_entries.S");
    std::fs::write(&source, entries(&functions)).ok()?;
    // All of it is wanted, although nothing asks for it by name when the linker comes by.
    cc::Build::new().file(&source).cargo_metadata(false).try_compile("cegas_z3_entries").ok()?;
    println!("cargo:rustc-link-search=native={}", Path::new(&out).display());
    println!("cargo:rustc-link-lib=static:+whole-archive=cegas_z3_entries");
    println!("cargo:rustc-cfg=lazy_z3");
    println!("cargo:rustc-env=CEGAS_Z3_VERSION={version}");
    println!("cargo:rustc-env=CEGAS_Z3_LIBRARY={name}");
    Some(())
}

fn said(command: &mut Command) -> Option<String> {
    let output = command.output().ok().filter(|output| output.status.success())?;
    String::from_utf8(output.stdout).ok()
}

/// The entries, the table, and the names to look for. `r11` is the one register that a function may use and that carries
/// no argument; the loader is called with every register that may carry one kept.
fn entries(functions: &[&str]) -> String {
    let mut text = String::from("    .text\n");
    for (i, name) in functions.iter().enumerate() {
        text += &format!(
            "    .globl {name}\n    .type {name}, @function\n{name}:\n    mov ${i}, %r11d\n    jmp *cegas_z3_table+{}(%rip)\n",
            8 * i
        );
    }
    let integers = ["rdi", "rsi", "rdx", "rcx", "r8", "r9", "r11"];
    text += "    .type first_call, @function\nfirst_call:\n    push %rbp\n    mov %rsp, %rbp\n";
    integers.iter().for_each(|r| text += &format!("    push %{r}\n"));
    // Seven words and the frame: the stack is aligned again after one more.
    text += "    sub $136, %rsp\n";
    (0..8).for_each(|i| text += &format!("    movups %xmm{i}, {}(%rsp)\n", 16 * i));
    text += "    call cegas_z3_load\n";
    (0..8).for_each(|i| text += &format!("    movups {}(%rsp), %xmm{i}\n", 16 * i));
    text += "    add $136, %rsp\n";
    integers.iter().rev().for_each(|r| text += &format!("    pop %{r}\n"));
    text += "    pop %rbp\n    lea cegas_z3_table(%rip), %rax\n    jmp *(%rax,%r11,8)\n";
    text += "    .section .data.rel.local,\"aw\"\n    .balign 8\n    .globl cegas_z3_table\ncegas_z3_table:\n";
    text += &format!("    .rept {}\n    .quad first_call\n    .endr\n", functions.len());
    text += "    .section .rodata\n    .globl cegas_z3_names\ncegas_z3_names:\n";
    functions.iter().for_each(|name| text += &format!("    .asciz \"{name}\"\n"));
    text += "    .byte 0\n    .section .note.GNU-stack,\"\",@progbits\n";
    text
}
