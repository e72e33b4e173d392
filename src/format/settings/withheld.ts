/** Variables that nobody hands to agents, whoever names them: they make programs load other code, or belong to one call of ours. */

const WITHHELD =
  /^(?:SIGNALBOX_|LD_|DYLD_)|^(?:NODE_OPTIONS|NODE_PATH|BASH_ENV|ENV|PERL5OPT|PYTHONSTARTUP|RUBYOPT|GCONV_PATH|GLIBC_TUNABLES|LOCPATH)$/;

export function isWithheld(name: string): boolean {
  return WITHHELD.test(name);
}
