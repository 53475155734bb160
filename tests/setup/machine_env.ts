/** Where this machine keeps things, and which certificates and registries it trusts. */
const OF_MACHINE =
  /^(HOME|PATH|TMPDIR|DENO_(DIR|CERT|TLS_CA_STORE)|NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR)|npm_config_\w+)$/i;

/**
 * Returns the variables of the environment that every process keeps, also one that is to have nothing but its own
 * settings (`clearEnv`). Without those of the certificates it could fetch nothing where a proxy signs what it passes on.
 */
export function machineEnv(): Record<string, string> {
  return Object.fromEntries(Object.entries(Deno.env.toObject()).filter(([name]) => OF_MACHINE.test(name)));
}
