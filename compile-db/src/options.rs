//! Every compiler option we know: how it takes its argument and what becomes of it.
//!
//! Invariant: this is an allow-list. Only options marked [`Act::Keep`], [`Act::Path`] and the few translated
//! in `command.rs` ever reach clang; what is not in the table is dropped with a note. Nothing kept
//! makes the compiler load, run or write anything.

use std::{collections::HashMap, sync::LazyLock};

/// How an option takes its argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    /// `-pthread`
    Alone,
    /// `-std=c99`
    Joined,
    /// `-include file`
    Separate,
    /// `-Idir` or `-I dir`
    Either,
}

/// What becomes of an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Act {
    /// Changes what the C means: clang gets it as it is.
    Keep,
    /// As `Keep`, with a path that must not be a device.
    Path,
    /// clang has it under this name, with the same value.
    Rename(&'static str),
    /// No effect on what the C means (optimisation, warnings, debug information, dependencies).
    Quiet,
    /// Dropped, and the user hears why.
    Note(&'static str),
    /// Needs a look at its value: see `command.rs`.
    Special(Special),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Special {
    Output,
    Language,
    Object,
    Assembly,
    Preprocess,
    Check,
    Query,
    Include,
    Standard,
    StandardIncludes,
    Xclang,
    Xpreprocessor,
    Xlinker,
    /// `-Wl,` and `-Wp,`: a list for the linker or the preprocessor.
    LinkerList,
    PreprocessorList,
    Library,
    LibraryFolder,
    Shared,
    Static,
    Relocatable,
    /// `-mfpmath=`: clang refuses the x87 unit.
    FloatUnit,
    /// `-mno-align-double`: clang has only its opposite.
    NoAlignDouble,
}

pub(crate) const RUNS: &str = "would make the compiler load or run something";
pub(crate) const WRITES: &str = "would make the compiler write a file";
const SANITIZER: &str = "the build's own instrumentation would hide the checks made here";
const FLOATS: &str = "floating point is analysed by the strict rules";
const OPENMP: &str = "parallel pragmas are read as the sequential program";
const CLANG_LACKS: &str = "clang has nothing that matches it";

use Act::{Keep, Note, Path, Quiet};
use Shape::{Alone, Either, Joined, Separate};
use Special as S;

const fn special(special: Special) -> Act {
    Act::Special(special)
}

/// Shape, fate, and the names they hold for.
type Row = (Shape, Act, &'static str);

const ROWS: &[Row] = &[
    // What is made, and of what.
    (Either, special(S::Output), "-o --output="),
    (Either, special(S::Language), "-x --language="),
    (Alone, special(S::Object), "-c --compile"),
    (Alone, special(S::Assembly), "-S --assemble"),
    (Alone, special(S::Preprocess), "-E -M -MM --preprocess --dependencies"),
    (Alone, special(S::Check), "-fsyntax-only"),
    (Alone, special(S::Query), "-### --help --version --target-help -dumpversion"),
    (Alone, special(S::Query), "-dumpmachine -dumpfullversion -dumpspecs"),
    (Joined, special(S::Query), "-print- --print- --help="),
    // The preprocessor.
    (Either, Keep, "-D -U"),
    (Either, Path, "-I -isystem -iquote -idirafter -isysroot"),
    (Either, Path, "-iprefix -iwithprefix -iwithprefixbefore -cxx-isystem"),
    (Joined, Path, "--sysroot="),
    (Separate, Path, "--sysroot"),
    (Separate, Act::Rename("-I"), "--include-directory --include-directory="),
    (Separate, Act::Rename("-idirafter"), "--include-directory-after --include-directory-after="),
    (Separate, Act::Rename("-D"), "--define-macro --define-macro="),
    (Separate, Act::Rename("-U"), "--undefine-macro --undefine-macro="),
    (Separate, Act::Rename("-include"), "--include --include="),
    (Separate, Act::Rename("-imacros"), "--imacros --imacros="),
    (Either, special(S::Include), "-include -imacros"),
    (Alone, Keep, "-undef -trigraphs -nostdlibinc -nobuiltininc -pthread"),
    (Alone, special(S::StandardIncludes), "-nostdinc"),
    (Either, Quiet, "-A -MF -MT -MQ -MJ -imultilib -imultiarch"),
    (Alone, Quiet, "-MD -MMD -MP -MG -MV -Mno-modules -C -CC -P -H"),
    (Alone, Quiet, "-dD -dM -dI -dN -dU -nostdinc++ -remap -p -pg"),
    (Separate, special(S::Xpreprocessor), "-Xpreprocessor"),
    (Joined, special(S::PreprocessorList), "-Wp,"),
    // The language.
    (Joined, special(S::Standard), "-std= --std="),
    (Alone, Keep, "-ansi"),
    (Joined, special(S::FloatUnit), "-mfpmath="),
    (Alone, special(S::NoAlignDouble), "-mno-align-double"),
    // clang reads UTF-8 and nothing else.
    (Alone, Quiet, "-finput-charset=UTF-8 -finput-charset=utf-8 -finput-charset=UTF8"),
    (Alone, Quiet, "-finput-charset=utf8 -finput-charset=ascii -finput-charset=ASCII"),
    (Joined, Note(CLANG_LACKS), "-finput-charset="),
    (Separate, Note(CLANG_LACKS), "-arch"),
    (Alone, Keep, "-ffreestanding -fhosted -fwritable-strings"),
    (Alone, Act::Rename("-ffreestanding"), "-fno-hosted"),
    (Alone, Act::Rename("-fhosted"), "-fno-freestanding"),
    (Alone, Act::Rename("-fms-extensions"), "-fplan9-extensions"),
    (Alone, Note(CLANG_LACKS), "-traditional-cpp -traditional"),
    (Separate, Keep, "-target --target"),
    (Joined, Keep, "--target="),
    (Separate, special(S::Xclang), "-Xclang"),
    // Of no matter here.
    (Joined, Quiet, "-O -g -W -Wa, -R --param= -pedantic --warn- -Q -std-default="),
    (Separate, Quiet, "--param -Xassembler -Xarch_host -Xarch_device"),
    (Alone, Quiet, "-w -v -pipe --pipe -ansi-alias -pass-exit-codes -dynamic -emit-llvm"),
    (Alone, Quiet, "-no-canonical-prefixes -canonical-prefixes --verbose -time"),
    (Alone, Quiet, "-integrated-as -no-integrated-as -no-integrated-cpp -noall_load"),
    (Alone, Quiet, "--start-no-unused-arguments --end-no-unused-arguments --"),
    // The linker.
    (Either, special(S::Library), "-l"),
    (Either, special(S::LibraryFolder), "-L"),
    (Separate, special(S::Xlinker), "-Xlinker"),
    (Joined, special(S::LinkerList), "-Wl,"),
    (Alone, special(S::Shared), "-shared --shared -dynamiclib -bundle"),
    (Alone, special(S::Static), "-static --static -static-pie"),
    (Alone, special(S::Relocatable), "-r"),
    (Alone, Quiet, "-s -rdynamic -pie -no-pie -nopie -symbolic -nolibc"),
    (Alone, Quiet, "-nostdlib -nostartfiles -nodefaultlibs -static-libgcc -no_pie"),
    (Alone, Quiet, "-shared-libgcc -static-libstdc++ -static-libasan -nostdlib++"),
    (Either, Quiet, "-T -u -z -e -G -framework -F -weak_framework"),
    (Separate, Quiet, "-install_name -rpath -current_version -compatibility_version"),
    (Separate, Quiet, "-soname -dynamic-linker -undefined -exported_symbols_list"),
    // Loading and running.
    (Joined, Note(RUNS), "-fplugin -fpass-plugin -fuse-ld --ld-path -specs= -ccc-"),
    (Joined, Note(RUNS), "--specs= --config= --config- --gcc-toolchain --gcc-install-dir"),
    (Joined, Note(RUNS), "-fmodule -fmodules -fprebuilt- -fembed-offload"),
    (Joined, Note(RUNS), "-fcxx-modules -fthinlto-index -fprofile-use -fauto-profile"),
    (Joined, Note(RUNS), "-fthin-link-bitcode -resource-dir= -offload --offload"),
    (Joined, Note(RUNS), "-fsanitize-ignorelist= -fsanitize-system-ignorelist= --cuda"),
    (Either, Note(RUNS), "-B -ivfsoverlay -vfsoverlay -gcc-toolchain -resource-dir"),
    (Separate, Note(RUNS), "-wrapper -specs --specs --config -load -mllvm"),
    (Separate, Note(RUNS), "-include-pch -V -b"),
    // Writing.
    (Joined, Note(WRITES), "-save-temps --save-temps -ftime-trace -fdump- -time="),
    (Joined, Note(WRITES), "-fprofile- -fno-profile- -fcs-profile -fcoverage- -d"),
    (Joined, Note(WRITES), "-ftest-coverage --coverage -coverage -fstack-usage"),
    (Joined, Note(WRITES), "-fcallgraph-info -fsave-optimization-record -fopt-info"),
    (Joined, Note(WRITES), "-foptimization-record -fcrash-diagnostics -emit- -fada-"),
    (Joined, Note(WRITES), "-fproc-stat-report -fdiagnostics-add-output -gen- -stats"),
    (Joined, Note(WRITES), "-fdiagnostics-set-output -fdiagnostics-format -fsycl"),
    (Joined, Note(WRITES), "-fprofile-generate -fprofile-arcs -fdeps- -fapi-notes"),
    (Separate, Note(WRITES), "-aux-info -dumpdir -dumpbase -dumpbase-ext"),
    (Separate, Note(WRITES), "--serialize-diagnostics -serialize-diagnostics"),
    (Separate, Note(WRITES), "-index-store-path -dependency-file -header-include-file"),
    // Changes the meaning, but not in a way that can be followed.
    (Joined, Note(SANITIZER), "-fsanitize -fno-sanitize -fbounds-check -fxray"),
    (Joined, Note(SANITIZER), "-finstrument-functions -fsplit-stack -fmudflap"),
    (Joined, Note(OPENMP), "-fopenmp -fopenacc -fcilkplus -qopenmp -openmp"),
    (Alone, Note(FLOATS), "-Ofast"),
    (Alone, Note(FLOATS), "-ffast-math -funsafe-math-optimizations -ffinite-math-only"),
    (Alone, Note(FLOATS), "-fassociative-math -freciprocal-math -frounding-math"),
    (Alone, Note(FLOATS), "-fno-signed-zeros -fsingle-precision-constant"),
    (Joined, Note(FLOATS), "-fexcess-precision= -ffp-model= -fcx-"),
    (Alone, Note(CLANG_LACKS), "-funsigned-bitfields -fno-signed-bitfields -fgnu-tm"),
    // Instruction sets that the compiler has given up.
    (Alone, Note(CLANG_LACKS), "-mavx512er -mavx512pf -mavx5124fmaps -mavx5124vnniw"),
    (Alone, Quiet, "-mno-avx512er -mno-avx512pf -mno-avx5124fmaps -mno-avx5124vnniw"),
];

/// `-f` options that change what the C means or which macros are defined; each also as `-fno-…`.
const KEPT_F: &str = "\
    asm blocks builtin common dollars-in-identifiers exceptions fixed-point gnu89-inline \
    gnu-inline-asm lax-vector-conversions ms-compatibility ms-extensions pack-struct PIC pic PIE \
    pie short-enums short-wchar signed-char strict-overflow trigraphs unsigned-char \
    wrapv \
    register-global-dtors-with-atexit";

/// The same with a value: `-fvisibility=hidden`, `-fno-builtin-memcpy`.
const KEPT_F_PREFIXES: &str = "\
    -fvisibility= -fno-builtin- -fpack-struct= -ffp-contract= -flax-vector-conversions= \
    -ftrivial-auto-var-init= -fms-compatibility-version=";

/// `-f` options of optimisers, code generators and diagnostics; each also as `-fno-…`, each with any ending.
const QUIET_F: &str = "\
    abi aggressive align allow-store analyzer assoc associative-math assume async auto-inc-dec \
    bit-tests bracket-depth branch caller-saves caret-diagnostics cf-protection code-hoisting \
    color-diagnostics combine-stack compare-elim compact conserve-stack constant-cfstrings cprop \
    crossjumping cse cx- data-sections dce debug delayed-branch delete-dead \
    delete-null-pointer-checks devirtualize diagnostics direct-access-external-data \
    double-square-bracket-attributes dse dwarf early-inlining eliminate emit-compact-unwind \
    emulated-tls error-limit expensive extended-identifiers fast-math fat-lto file-prefix-map \
    finite-loops finite-math-only float-store fold-simple force-addr force-emit forward-propagate \
    function-cse function-sections gcse global-isel gnu-unique graphite guess-branch hardened \
    harden hoist ident if-conversion indirect-inlining inhibit-size-directive inline \
    integrated-as ipa ira isolate ivopts jump-tables keep large-source-files leading-underscore \
    leak lifetime-dse limit live- loop lra lto macro-backtrace-limit macro-prefix-map math-errno \
    max-errors max-type-align mem-report memory-profile merge message-length \
    min-function-alignment modulo move-loop multi-cprop non-call-exceptions omit-frame-pointer \
    optimize partial patchable pch pcc-struct-return peel peephole permitted-flt-eval \
    permissive plt post- pre- predictive prefetch preprocessed printf-return protect ptrauth \
    random-seed reciprocal-math record ree reg-struct-return register relaxed rename reorder \
    report-bug reroll rerun rounding-math rtti sched schedule section sel- semantic-interposition \
    separate-named show shrink signaling-nans signed-zeros simd spell-checking split ssa \
    stack-check stack-clash stack-limit stack-protector stack-reuse stack-size-section stdarg \
    strict-aliasing strict-enums strict-flex-arrays strict-float-cast-overflow \
    strict-volatile-bitfields strict-vtable-pointers template-backtrace-limit thread-jumps \
    threadsafe-statics tls-model toplevel-reorder tracer track-macro-expansion trapping-math trapv \
    tree tune unique- unit-at-a-time unroll unsafe-math unswitch unwind unwind-tables \
    use-cxa-atexit use-init-array use-line-directives use-linker-plugin var-tracking \
    variable-expansion veclib vect vectorize verbose-asm visibility-inlines-hidden vpt web \
    whole-program wrapv-pointer working-directory zero-call-used-regs \
    zero-initialized zvector asynchronous-unwind-tables access-control defer-pop direct-access \
    slp-vectorize sort-data";

/// `-m` options with a value that choose the machine the C is compiled for.
const KEPT_M_PREFIXES: &str = "\
    -march= -mcpu= -mabi= -mfloat-abi= -mfpu= -mavx512 -mno-avx512";

/// `-m` options that change sizes, layouts or macros.
const KEPT_M: &str = "\
    -m16 -m32 -m64 -mx32 -marm -mthumb -mbig-endian -mlittle-endian -mlong-double-64 \
    -mlong-double-80 -mlong-double-128 -mms-bitfields -mno-ms-bitfields -msoft-float \
    -mgeneral-regs-only -malign-double";

/// Instruction sets: each as `-m…` and `-mno-…`; headers choose code by the macros they define.
const INSTRUCTION_SETS: &str = "\
    3dnow 80387 adx aes altivec amx-bf16 amx-int8 amx-tile avx avx2 avxvnni bmi bmi2 cldemote \
    clflushopt clwb clzero crc32 cx16 f16c fma fma4 fsgsbase fxsr gfni invpcid lwp lzcnt mmx movbe \
    movdir64b movdiri mwaitx pclmul pku popcnt prfchw ptwrite rdpid rdrnd rdseed rtm sahf \
    serialize sha shstk sse sse2 sse3 sse4 sse4.1 sse4.2 sse4a ssse3 tbm vaes vpclmulqdq vsx \
    vzeroupper waitpkg x87 xop xsave xsavec xsaveopt xsaves";

/// `-m` options of the code generator; each also as `-mno-…`, each with any ending.
const QUIET_M: &str = "\
    accumulate-outgoing-args align-data align-functions align-jumps align-loops \
    align-stringops avx256-split branch-protection cld cmodel constant-gp \
    execute-only explicit-relocs fentry fix- function-return hard-float harden-sls implicit-it \
    incoming-stack-boundary indirect-branch inline llvm long-calls longcall low-precision \
    memcpy-strategy nop-mcount omit-leaf-frame-pointer outline pic-data prefer-vector-width \
    preferred-stack-boundary push-args recip record-mcount red-zone regparm relax retpoline rtd \
    skip-rax-setup speculative-load-hardening stack strict-align string tls-dialect \
    tls-direct-seg-refs tls-size tune unaligned-access vect8 veclibabi";

static TABLE: LazyLock<HashMap<String, (Shape, Act)>> = LazyLock::new(|| {
    let mut table = HashMap::new();
    let mut add = |prefixes: &[&str], names: &str, shape, act| {
        for (name, prefix) in
            names.split_whitespace().flat_map(|n| prefixes.iter().map(move |p| (n, p)))
        {
            // `--output=x` is joined only, though its row lists it beside `-o`.
            let shape = if name.ends_with('=') { Joined } else { shape };
            table.entry(format!("{prefix}{name}")).or_insert((shape, act));
        }
    };
    ROWS.iter().for_each(|(shape, act, names)| add(&[""], names, *shape, *act));
    add(&["-f", "-fno-"], KEPT_F, Alone, Keep);
    add(&[""], KEPT_F_PREFIXES, Joined, Keep);
    add(&["-f", "-fno-"], QUIET_F, Joined, Quiet);
    add(&[""], KEPT_M_PREFIXES, Joined, Keep);
    add(&[""], KEPT_M, Alone, Keep);
    add(&["-m", "-mno-"], INSTRUCTION_SETS, Alone, Keep);
    add(&["-m", "-mno-"], QUIET_M, Joined, Quiet);
    table
});

/// The lengths of the names that begin with a dash and a given letter, longest first: most arguments of a large build
/// start with -I or -D, and those need one look.
static LENGTHS: LazyLock<HashMap<&'static [u8], Vec<usize>>> = LazyLock::new(|| {
    let mut lengths: HashMap<&[u8], Vec<usize>> = HashMap::new();
    for name in TABLE.keys() {
        lengths.entry(start(name.as_bytes())).or_default().push(name.len());
    }
    for lengths in lengths.values_mut() {
        lengths.sort_by_key(|&length| std::cmp::Reverse(length));
        lengths.dedup();
    }
    lengths
});

fn start(name: &[u8]) -> &[u8] {
    name.get(..2).unwrap_or(name)
}

/// The longest name in the table that this argument spells or starts with.
pub(crate) fn lookup(argument: &[u8]) -> Option<(&'static str, Shape, Act)> {
    LENGTHS.get(start(argument))?.iter().find_map(|&length| {
        let name = std::str::from_utf8(argument.get(..length)?).ok()?;
        let (name, (shape, act)) = TABLE.get_key_value(name)?;
        let fits = match shape {
            Alone | Separate => length == argument.len(),
            Joined | Either => true,
        };
        fits.then_some((name.as_str(), *shape, *act))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn act(argument: &str) -> Option<Act> {
        lookup(argument.as_bytes()).map(|(_, _, act)| act)
    }

    #[test]
    fn the_longest_name_wins() {
        assert_eq!(act("-fno-builtin-memcpy"), Some(Keep));
        assert_eq!(act("-fshort-enums"), Some(Keep));
        assert_eq!(act("-fplugin=x.so"), Some(Note(RUNS)));
        assert_eq!(act("-fplugin-arg-x-y=z"), Some(Note(RUNS)));
        assert_eq!(act("-isystem"), Some(Path));
        assert_eq!(act("-isysroot/x"), Some(Path));
        assert_eq!(act("-save-temps=obj"), Some(Note(WRITES)));
        assert_eq!(act("-gsplit-dwarf"), Some(Quiet));
        assert_eq!(act("-fdump-tree-all"), Some(Note(WRITES)));
        assert_eq!(act("-Wl,-soname,x"), Some(special(S::LinkerList)));
        assert_eq!(act("-Bevil"), Some(Note(RUNS)));
        assert_eq!(act("-fsigned-charm"), None);
        assert_eq!(act("-shared"), Some(special(S::Shared)));
        assert_eq!(act("-mavx512f"), Some(Keep));
        assert_eq!(act("-malign-double"), Some(Keep));
        assert_eq!(act("-malign-loops=16"), Some(Quiet));
        assert_eq!(act("-malign-power"), None);
        assert_eq!(act("-ftrigraphs"), Some(Keep));
        assert_eq!(act("-finput-charset=latin1"), Some(Note(CLANG_LACKS)));
    }

    #[test]
    fn nothing_kept_is_also_dangerous() {
        for (shape, act, names) in ROWS {
            if let Note(reason) = act
                && (*reason == RUNS || *reason == WRITES)
            {
                for name in names.split_whitespace() {
                    let found = lookup(name.as_bytes()).map(|(_, _, act)| act);
                    assert!(matches!(found, Some(Note(_))), "{name} {shape:?} became {found:?}");
                }
            }
        }
    }
}
