import assert from "node:assert/strict";
import type { AppContext } from "../../../supabase/functions/_shared/http/app.ts";
import { clientAddress } from "../../../supabase/functions/_shared/http/client_address.ts";

const SOCKET: Deno.NetAddr = { transport: "tcp", hostname: "10.0.0.1", port: 1 };

function addressOf(
  forwarded: string | undefined,
  proxies: number,
  remoteAddr?: Deno.NetAddr,
): string | undefined {
  return clientAddress({
    env: remoteAddr && { remoteAddr },
    req: { header: () => forwarded },
    var: { services: { env: { TRUSTED_PROXIES: proxies } } },
  } as unknown as AppContext);
}

Deno.test("clientAddress() believes as many entries of X-Forwarded-For as there are proxies, counted from the end", () => {
  const forged = "6.6.6.6, 7.7.7.7, 192.0.2.1";

  assert.equal(addressOf(forged, 0, SOCKET), "10.0.0.1");
  assert.equal(addressOf(forged, 1, SOCKET), "192.0.2.1");
  assert.equal(addressOf(forged, 2, SOCKET), "7.7.7.7");
  assert.equal(addressOf("192.0.2.1", 2, SOCKET), "10.0.0.1");
  assert.equal(addressOf(undefined, 1, SOCKET), "10.0.0.1");
  assert.equal(addressOf(" , ", 1, SOCKET), "10.0.0.1");
});

Deno.test("clientAddress() takes the first entry where the runtime does not show the socket", () => {
  assert.equal(addressOf("192.0.2.1, 10.0.0.9", 0), "192.0.2.1");
  assert.equal(addressOf(undefined, 0), undefined);
});
