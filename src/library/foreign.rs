//! What functions of common libraries other than C's do to pointers (OpenSSL, zlib, nghttp2, libevent …), in the words of
//! [`summaries`](super::summaries). It says where pointers go and nothing else: a call of such a function counts as one of
//! unknown code wherever something else is asked, since it may call whatever the library was given, at any time.
//!
//! Handles point to memory of the library's own. What a library is given to keep (user data, functions and what they are to
//! be called with) comes back only through the ways named here, or through a function that is not here: that one is
//! unknown, so what it is given escapes; therefore each slot of a library holds all that has escaped, and where any such code may run,
//! what lies in the slots has escaped. For the same reason, memory of a library's own includes whatever has escaped.
//!
//! Invariant: a name is in one row, and every way is named in which its function keeps, stores, returns or calls a pointer
//! into memory that is not the library's own. Offsets are those of machines with pointers of eight bytes.

use super::summaries::{Effect, Passed, Slot, Table, table};
use std::sync::LazyLock;

use Effect::{
    Advances, Allocates, Calls, CallsAt, CallsContent, Escapes, EscapesContent, Leaves,
    LeavesInside, Reallocates, Returns, ReturnsInside, ReturnsKept, ReturnsOutside, Shows,
    StoresLeftAt, StoresLeftWithin, StoresOutside,
};
use Passed::{Arg, At, Left, Number, Outside};

/// User data that hangs on OpenSSL's objects.
const DATA: Slot = Slot::TlsData;
/// What callbacks of OpenSSL are to be called with.
const ARGUMENT: Slot = Slot::TlsArgument;
/// Buffers and streams behind a `BIO`.
const BYTES: Slot = Slot::TlsBytes;
/// Elements of OpenSSL's stacks.
const ITEMS: Slot = Slot::TlsItems;
/// Functions given to OpenSSL that can be asked for again.
const METHODS: Slot = Slot::TlsMethods;
const SESSION: Slot = Slot::HttpSession;
const STREAM: Slot = Slot::HttpStream;
const INPUT: Slot = Slot::HttpInput;
const EVENT: Slot = Slot::Event;
const STATE: Slot = Slot::Zlib;

const fn outside(to: u8, at: i64) -> Effect {
    StoresOutside { to, at }
}

/// A function that asks for a password.
const ASKS: Effect = Calls { func: 2, args: &[Outside, Number, Number, Arg(3)] };
/// What any function of zlib on a `z_stream` may do to it: its state is allocated by functions that lie in it.
const STREAMS: &[Effect] = &[
    CallsAt { of: 0, at: 64, args: &[At { of: 0, at: 80 }, Number, Number], result: STATE },
    CallsAt { of: 0, at: 72, args: &[At { of: 0, at: 80 }, Left(STATE)], result: STATE },
    StoresLeftAt { to: 0, at: 56, slot: STATE },
    outside(0, 48),
    outside(0, 64),
    outside(0, 72),
    Advances { of: 0, at: 0 },
    Advances { of: 0, at: 24 },
];
/// The bytes of a `struct event`, which the library links with others.
const EVENT_BYTES: u64 = 128;

const EFFECTS: &[(&str, &[Effect])] = &[
    // OpenSSL: what it returns that is its own.
    (
        "SSL_new SSL_CTX_new SSL_get_peer_cert_chain SSL_get_certificate SSL_get_privatekey SSL_get_version \
         SSL_get1_peer_certificate SSL_get_peer_certificate SSL_get_current_cipher SSL_CIPHER_get_name SSL_get_SSL_CTX \
         SSL_CTX_get_cert_store SSL_alert_desc_string_long SSL_get_session SSL_get1_session SSL_get_rbio SSL_get_wbio \
         SSL_state_string_long TLS_client_method TLS_server_method TLS_method SSLv23_client_method SSLv23_method \
         X509_get_subject_name X509_get_issuer_name X509_get_serialNumber X509_get_X509_PUBKEY X509_get0_extensions \
         X509_get0_notBefore X509_get0_notAfter X509_get_pubkey X509_get_ext_d2i X509_NAME_get_entry \
         X509_NAME_ENTRY_get_data X509_STORE_add_lookup X509_LOOKUP_file X509_STORE_CTX_get_current_cert \
         X509_verify_cert_error_string X509_EXTENSION_get_object X509_EXTENSION_get_data X509_STORE_new X509_new \
         ASN1_STRING_get0_data BIO_new BIO_s_mem BIO_s_file BIO_f_base64 BIO_new_socket BIO_push BIO_pop \
         BIO_meth_new BN_new EVP_MD_CTX_new EVP_get_digestbyname EVP_sha1 EVP_sha256 EVP_sha384 EVP_sha512 EVP_md5 \
         EVP_PKEY_get1_RSA EVP_CIPHER_CTX_new EVP_get_cipherbyname ENGINE_by_id ENGINE_get_id ENGINE_get_first \
         ENGINE_get_next OCSP_response_status_str OCSP_response_get1_basic OCSP_resp_get0 OCSP_cert_status_str \
         OCSP_crl_reason_str OCSP_cert_to_id OpenSSL_version UI_create_method UI_OpenSSL UI_get_string_type \
         X509_get_ext X509_STORE_CTX_get0_store SSL_CTX_get0_certificate HMAC_CTX_new",
        &[ReturnsOutside],
    ),
    ("ERR_error_string", &[Returns(1), ReturnsOutside]),
    ("SSL_get0_alpn_selected", &[outside(1, 0)]),
    (
        "SSL_set_ex_data SSL_CTX_set_ex_data X509_STORE_CTX_set_ex_data",
        &[Leaves { value: 2, slot: DATA }],
    ),
    ("BIO_set_data", &[Leaves { value: 1, slot: DATA }]),
    (
        "SSL_get_ex_data SSL_CTX_get_ex_data X509_STORE_CTX_get_ex_data BIO_get_data",
        &[ReturnsKept(DATA)],
    ),
    (
        "SSL_ctrl SSL_CTX_ctrl",
        &[
            Leaves { value: 3, slot: ARGUMENT },
            StoresLeftAt { to: 3, at: 0, slot: ARGUMENT },
            outside(3, 0),
        ],
    ),
    ("SSL_callback_ctrl SSL_CTX_callback_ctrl", &[Calls { func: 2, args: &[Left(ARGUMENT); 7] }]),
    ("SSL_CTX_set_default_passwd_cb_userdata", &[Leaves { value: 1, slot: ARGUMENT }]),
    (
        "SSL_CTX_set_default_passwd_cb",
        &[Calls { func: 1, args: &[Outside, Number, Number, Left(ARGUMENT)] }],
    ),
    (
        "SSL_CTX_set_msg_callback SSL_set_msg_callback",
        &[Calls {
            func: 1,
            args: &[Number, Number, Number, Outside, Number, Outside, Left(ARGUMENT)],
        }],
    ),
    ("SSL_CTX_set_verify SSL_set_verify", &[Calls { func: 2, args: &[Number, Outside] }]),
    (
        "SSL_CTX_set_keylog_callback SSL_CTX_sess_set_new_cb",
        &[Calls { func: 1, args: &[Outside; 2] }],
    ),
    (
        "SSL_CTX_set_psk_client_callback SSL_CTX_set_psk_server_callback",
        &[Calls { func: 1, args: &[Outside; 6] }],
    ),
    ("BIO_meth_set_create BIO_meth_set_destroy", &[Calls { func: 1, args: &[Outside] }]),
    (
        "BIO_meth_set_read BIO_meth_set_write BIO_meth_set_gets BIO_meth_set_puts",
        &[Calls { func: 1, args: &[Outside, Left(BYTES), Number] }],
    ),
    ("BIO_meth_set_ctrl", &[Calls { func: 1, args: &[Outside, Number, Number, Left(BYTES)] }]),
    ("BIO_new_mem_buf", &[ReturnsOutside, Leaves { value: 0, slot: BYTES }]),
    ("BIO_read BIO_write BIO_gets BIO_puts", &[Leaves { value: 1, slot: BYTES }]),
    (
        "BIO_ctrl",
        &[
            Leaves { value: 3, slot: BYTES },
            StoresLeftAt { to: 3, at: 0, slot: BYTES },
            outside(3, 0),
        ],
    ),
    ("OPENSSL_sk_push OPENSSL_sk_unshift OPENSSL_sk_insert", &[Leaves { value: 1, slot: ITEMS }]),
    ("OPENSSL_sk_value OPENSSL_sk_pop OPENSSL_sk_shift", &[ReturnsKept(ITEMS)]),
    ("OPENSSL_sk_pop_free", &[Calls { func: 1, args: &[Left(ITEMS)] }]),
    (
        "CRYPTO_get_ex_new_index",
        &[
            Calls { func: 3, args: &[Outside, Left(DATA), Outside, Number, Number, Arg(2)] },
            Shows { slot: DATA, to: 4 },
            Calls { func: 5, args: &[Outside, Left(DATA), Outside, Number, Number, Arg(2)] },
        ],
    ),
    ("CRYPTO_malloc CRYPTO_zalloc", &[Allocates(&[0])]),
    ("CRYPTO_realloc", &[Reallocates { old: 0, size: &[1] }]),
    (
        "UI_method_set_opener UI_method_set_closer",
        &[Calls { func: 1, args: &[Outside] }, Leaves { value: 1, slot: METHODS }],
    ),
    (
        "UI_method_set_reader UI_method_set_writer",
        &[Calls { func: 1, args: &[Outside; 2] }, Leaves { value: 1, slot: METHODS }],
    ),
    (
        "UI_method_get_opener UI_method_get_closer UI_method_get_reader UI_method_get_writer",
        &[ReturnsKept(METHODS)],
    ),
    ("ENGINE_load_private_key", &[ReturnsOutside, Leaves { value: 3, slot: ARGUMENT }]),
    ("UI_get0_user_data", &[ReturnsKept(ARGUMENT)]),
    ("ENGINE_ctrl ENGINE_ctrl_cmd", &[Escapes(3), Escapes(4)]),
    (
        "PEM_read_DHparams PEM_read_bio_X509 PEM_read_bio_X509_AUX PEM_read_bio_PrivateKey",
        &[ReturnsOutside, outside(1, 0), ASKS],
    ),
    ("PEM_X509_INFO_read_bio", &[ReturnsOutside, ASKS]),
    ("d2i_X509_bio d2i_PrivateKey_bio d2i_PKCS12_bio", &[ReturnsOutside, outside(1, 0)]),
    ("d2i_OCSP_RESPONSE d2i_X509", &[ReturnsOutside, outside(0, 0), Advances { of: 1, at: 0 }]),
    ("i2d_X509_PUBKEY i2d_X509", &[Advances { of: 1, at: 0 }, outside(1, 0)]),
    ("PKCS12_parse", &[outside(2, 0), outside(3, 0), outside(4, 0)]),
    ("OCSP_resp_find_status", &[outside(4, 0), outside(5, 0), outside(6, 0)]),
    ("OCSP_single_get0_status", &[outside(2, 0), outside(3, 0), outside(4, 0)]),
    ("BN_hex2bn ASN1_STRING_to_UTF8", &[outside(0, 0)]),
    ("EVP_PKEY_get_bn_param", &[outside(2, 0)]),
    ("X509_get0_signature", &[outside(0, 0), outside(1, 0)]),
    ("X509_PUBKEY_get0_param", &[outside(0, 0), outside(1, 0), outside(3, 0)]),
    // nghttp2.
    ("nghttp2_session_callbacks_new nghttp2_option_new", &[outside(0, 0)]),
    (
        "nghttp2_session_client_new nghttp2_session_client_new2 nghttp2_session_server_new",
        &[outside(0, 0), Leaves { value: 2, slot: SESSION }],
    ),
    ("nghttp2_strerror nghttp2_http2_strerror nghttp2_version", &[ReturnsOutside]),
    (
        "nghttp2_session_callbacks_set_send_callback",
        &[Calls { func: 1, args: &[Outside, Outside, Number, Number, Left(SESSION)] }],
    ),
    (
        "nghttp2_session_callbacks_set_on_frame_recv_callback nghttp2_session_callbacks_set_on_begin_headers_callback",
        &[Calls { func: 1, args: &[Outside, Outside, Left(SESSION)] }],
    ),
    (
        "nghttp2_session_callbacks_set_on_data_chunk_recv_callback",
        &[Calls { func: 1, args: &[Outside, Number, Number, Left(INPUT), Number, Left(SESSION)] }],
    ),
    (
        "nghttp2_session_callbacks_set_on_stream_close_callback nghttp2_session_callbacks_set_error_callback",
        &[Calls { func: 1, args: &[Outside, Outside, Number, Left(SESSION)] }],
    ),
    (
        "nghttp2_session_callbacks_set_on_header_callback",
        &[Calls {
            func: 1,
            args: &[Outside, Outside, Outside, Number, Outside, Number, Number, Left(SESSION)],
        }],
    ),
    ("nghttp2_session_mem_recv", &[LeavesInside { of: 1, slot: INPUT }]),
    (
        "nghttp2_submit_request",
        &[
            EscapesContent(2),
            EscapesContent(4),
            CallsContent {
                of: 4,
                args: &[Outside, Number, Outside, Number, Outside, Outside, Left(SESSION)],
            },
            Leaves { value: 5, slot: STREAM },
        ],
    ),
    ("nghttp2_session_set_stream_user_data", &[Leaves { value: 2, slot: STREAM }]),
    ("nghttp2_session_upgrade2", &[Leaves { value: 4, slot: STREAM }]),
    ("nghttp2_session_get_stream_user_data", &[ReturnsKept(STREAM)]),
    // Compression.
    (
        "inflateInit_ inflateInit2_ inflate inflateEnd inflateReset inflateReset2 deflateInit_ deflateInit2_ \
         deflate deflateEnd deflateReset",
        STREAMS,
    ),
    (
        "zlibVersion zError BrotliDecoderErrorString ZSTD_createDStream ZSTD_getErrorName",
        &[ReturnsOutside],
    ),
    ("BrotliDecoderCreateInstance", &[Escapes(0), Escapes(1), Escapes(2), ReturnsOutside]),
    ("deflateSetHeader", &[Escapes(1)]),
    ("BrotliDecoderDecompressStream", &[Advances { of: 2, at: 0 }, Advances { of: 4, at: 0 }]),
    // What the C library keeps beside its standard functions.
    ("_obstack_begin", &[Escapes(0), Escapes(3), Escapes(4)]),
    ("_obstack_newchunk obstack_free", &[Escapes(0), Escapes(1)]),
    ("iconv", &[Advances { of: 1, at: 0 }, Advances { of: 3, at: 0 }]),
    ("dladdr", &[Escapes(0), Escapes(1)]),
    ("backtrace", &[outside(0, 0)]),
    // readline.
    ("readline", &[Allocates(&[])]),
    ("rl_completion_matches", &[Escapes(0), Escapes(1), ReturnsOutside]),
    // libevent.
    (
        "event_set",
        &[
            Leaves { value: 0, slot: EVENT },
            Leaves { value: 3, slot: EVENT },
            Leaves { value: 4, slot: EVENT },
            StoresLeftWithin { to: 0, bytes: EVENT_BYTES, slot: EVENT },
            Calls { func: 3, args: &[Number, Number, Arg(4)] },
        ],
    ),
    ("event_once", &[Calls { func: 2, args: &[Number, Number, Arg(3)] }]),
    ("event_init event_base_new event_get_version event_get_method", &[ReturnsOutside]),
    ("event_set_log_callback", &[Calls { func: 0, args: &[Number, Outside] }]),
    (
        "bufferevent_new",
        &[
            ReturnsOutside,
            Calls { func: 1, args: &[Outside, Arg(4)] },
            Calls { func: 2, args: &[Outside, Arg(4)] },
            Calls { func: 3, args: &[Outside, Number, Arg(4)] },
        ],
    ),
    (
        "bufferevent_get_output bufferevent_get_input evbuffer_new evbuffer_pullup evbuffer_readln \
         evbuffer_readline",
        &[ReturnsOutside],
    ),
    // Terminals, the system, and others.
    ("tigetstr tparm tiparm", &[ReturnsOutside]),
    ("idn2_lookup_ul idn2_to_unicode_8z8z", &[outside(1, 0)]),
    ("idn2_check_version idn2_strerror", &[ReturnsOutside]),
    ("dlopen dlsym", &[ReturnsOutside]),
    (
        "glob glob64",
        &[outside(3, 8), EscapesContent(3), Calls { func: 2, args: &[Outside, Number] }],
    ),
    ("regcomp", &[outside(0, 0), outside(0, 32), outside(0, 40)]),
    ("__cmsg_nxthdr", &[ReturnsInside(1)]),
];

/// Functions that keep, store, return and call no pointer that is not their library's own.
const HARMLESS: &str = "\
    SSL_free SSL_CTX_free SSL_shutdown SSL_in_init SSL_read SSL_write SSL_peek SSL_pending SSL_connect SSL_accept \
    SSL_get_error SSL_get_shutdown SSL_set_bio SSL_set0_rbio SSL_set0_wbio SSL_set_fd SSL_set_session \
    SSL_set_connect_state SSL_set_accept_state SSL_get_verify_result SSL_SESSION_free SSL_SESSION_up_ref \
    SSL_CTX_set_options SSL_CTX_set_alpn_protos SSL_set_alpn_protos SSL_CTX_set_cipher_list SSL_CTX_set_ciphersuites \
    SSL_CTX_use_certificate SSL_CTX_use_certificate_file SSL_CTX_use_certificate_chain_file SSL_CTX_use_PrivateKey \
    SSL_CTX_use_PrivateKey_file SSL_CTX_check_private_key SSL_CTX_add_client_CA SSL_CTX_set_cert_store \
    SSL_CTX_set_default_verify_paths SSL_CTX_load_verify_file SSL_CTX_load_verify_dir SSL_CTX_load_verify_locations \
    SSL_CTX_set_post_handshake_auth SSL_CTX_set_srp_username SSL_CTX_set_srp_password \
    SSL_CTX_set_session_id_context SSL_CTX_use_psk_identity_hint SSL_get_ex_data_X509_STORE_CTX_idx \
    OPENSSL_init_ssl OPENSSL_init_crypto CONF_modules_unload ENGINE_load_builtin_engines \
    ERR_get_error ERR_peek_error ERR_peek_last_error ERR_clear_error ERR_error_string_n \
    BIO_free BIO_free_all BIO_up_ref BIO_printf BIO_clear_flags BIO_set_flags BIO_get_shutdown BIO_set_shutdown \
    BIO_set_init BIO_meth_free OPENSSL_sk_num OPENSSL_sk_free UI_destroy_method UI_get_input_flags UI_set_result \
    ENGINE_init ENGINE_finish ENGINE_free ENGINE_set_default \
    OCSP_response_status OCSP_basic_verify OCSP_resp_count OCSP_check_validity OCSP_BASICRESP_free \
    OCSP_RESPONSE_free OCSP_CERTID_free X509_free X509_NAME_get_text_by_NID X509_NAME_get_index_by_NID \
    X509_NAME_print_ex X509_STORE_CTX_get_error_depth X509_STORE_CTX_get_error X509_load_crl_file \
    X509_STORE_set_flags X509_STORE_load_file X509_STORE_load_path X509_STORE_add_cert X509_STORE_add_crl \
    X509_STORE_free X509_STORE_up_ref X509_INFO_free X509_get_version X509_check_issued X509_up_ref X509V3_EXT_print \
    GENERAL_NAME_free GENERAL_NAMES_free ASN1_STRING_length ASN1_STRING_type ASN1_STRING_print ASN1_TIME_print \
    i2a_ASN1_OBJECT i2t_ASN1_OBJECT PEM_write_bio_X509 PKCS12_free PKCS12_PBE_add \
    BN_free BN_clear_free BN_num_bits BN_bn2bin BN_print RAND_bytes RAND_status \
    EVP_MD_CTX_free EVP_DigestInit EVP_DigestInit_ex EVP_DigestUpdate EVP_DigestFinal EVP_DigestFinal_ex \
    EVP_PKEY_get_id EVP_PKEY_free EVP_PKEY_copy_parameters RSA_flags RSA_free PKCS5_PBKDF2_HMAC \
    MD5_Init MD5_Update MD5_Final SHA1_Init SHA1_Update SHA1_Final SHA256_Init SHA256_Update SHA256_Final \
    DES_ecb_encrypt DES_set_odd_parity DES_set_key_unchecked CRYPTO_free \
    nghttp2_pack_settings_payload nghttp2_session_del nghttp2_session_check_request_allowed \
    nghttp2_submit_priority nghttp2_session_send nghttp2_is_fatal nghttp2_priority_spec_init \
    nghttp2_session_want_read nghttp2_session_want_write nghttp2_session_get_remote_window_size \
    nghttp2_session_get_stream_remote_window_size nghttp2_session_resume_data \
    nghttp2_session_set_local_window_size nghttp2_submit_rst_stream nghttp2_submit_ping nghttp2_submit_settings \
    nghttp2_session_callbacks_del nghttp2_session_get_remote_settings nghttp2_option_del \
    nghttp2_option_set_no_rfc9113_leading_and_trailing_ws_validation \
    crc32 adler32 crc32_z adler32_z compress compress2 uncompress compressBound deflateBound zlibCompileFlags \
    BrotliDecoderDestroyInstance BrotliDecoderGetErrorCode BrotliDecoderVersion \
    ZSTD_decompressStream ZSTD_isError ZSTD_freeDStream ZSTD_versionNumber \
    event_add event_del event_pending event_active event_initialized event_reinit event_loop event_dispatch \
    event_base_free event_base_loop bufferevent_write bufferevent_write_buffer bufferevent_free \
    bufferevent_enable bufferevent_disable bufferevent_setwatermark evbuffer_add evbuffer_add_printf \
    evbuffer_add_vprintf evbuffer_drain evbuffer_free evbuffer_get_length evbuffer_read evbuffer_write \
    setupterm del_curterm tigetnum tigetflag add_history read_history write_history stifle_history \
    idn2_free dlclose ioctl readv writev sendmsg recvmsg globfree globfree64 regexec regfree \
    fsetxattr fgetxattr truncate64 mkostemp64 closefrom err errx warn warnx verr verrx vwarn vwarnx __b64_ntop \
    __b64_pton __ctype_get_mb_cur_max llroundl backtrace_symbols_fd \
    sysinfo statvfs64 regerror";

static TABLE: LazyLock<Table> = LazyLock::new(|| table(EFFECTS, HARMLESS));

/// Whether the system call of this number (of Linux on x86-64) moves no pointers: read, write, open, close, pread64,
/// pwrite64, getpid, gettid, futex, tgkill, openat, getrandom.
pub fn is_harmless_call(number: u64) -> bool {
    matches!(number, 0..=3 | 17 | 18 | 39 | 186 | 202 | 234 | 257 | 318)
}

/// What the function of this name does to pointers; none if we do not know it.
pub fn effects(name: &str, pointer_bits: u32) -> Option<&'static [Effect]> {
    TABLE.get(name).copied().filter(|_| pointer_bits == 64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library::summaries;

    #[test]
    fn every_name_is_there_once() {
        let names = EFFECTS.iter().flat_map(|(names, _)| names.split_whitespace());
        let mut all: Vec<&str> = names.chain(HARMLESS.split_whitespace()).collect();
        all.sort_unstable();
        let twice: Vec<_> = all.windows(2).filter(|pair| pair[0] == pair[1]).collect();
        assert!(twice.is_empty(), "{twice:?}");
        let in_c: Vec<_> = all.iter().filter(|name| summaries::effects(name).is_some()).collect();
        assert!(in_c.is_empty(), "{in_c:?}");
    }
}
