import { isSecretsKeyRight } from "../_shared/access/secrets_canary.ts";
import type { Sealer } from "../_shared/crypto/seal.ts";
import { notSetUp } from "../_shared/errors.ts";
import type { Services } from "../_shared/services.ts";

/**
 * Returns the sealer. A process whose OUTBOUND_SECRETS_KEY is not the database's would seal secrets that no other process can
 * open: there it throws `service_unavailable` (502).
 */
export async function checkedSealer(services: Services): Promise<Sealer> {
  if (await isSecretsKeyRight(services)) return services.sealer;
  throw notSetUp(
    "secrets",
    "This server cannot store secrets: its OUTBOUND_SECRETS_KEY is not the one of the database",
  );
}
