import assert from "node:assert/strict";
import type { AppContext } from "../../../../supabase/functions/_shared/http/app/context.ts";
import { clientAddress } from "../../../../supabase/functions/_shared/http/app/request_context.ts";

const SOCKET: Deno.NetAddr = { transport: "tcp", hostname: "10.0.0.1", port: 1 };

function addressOf(
  forwarded: string | undefined,
  proxies: number,
  remoteAddr?: Deno.NetAddr,
  connecting?: string,
): string | undefined {
  return clientAddress({
    env: remoteAddr && { remoteAddr },
    req: {
      header: (name: string) => ({ "X-Forwarded-For": forwarded, "CF-Connecting-IP": connecting })[name],
    },
    get: () => ({ env: { OUTBOUND_TRUSTED_PROXIES: proxies } }),
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

Deno.test("clientAddress() believes the gateway where the runtime does not show the socket", () => {
  assert.equal(addressOf("6.6.6.6, 192.0.2.1", 0, undefined, "192.0.2.1"), "192.0.2.1");
  assert.equal(addressOf("192.0.2.1, 10.0.0.9", 0), "192.0.2.1");
  assert.equal(addressOf("6.6.6.6, 192.0.2.1", 1, undefined, "6.6.6.6"), "192.0.2.1");
  assert.equal(addressOf(undefined, 0), undefined);
  assert.equal(addressOf("unknown", 0), undefined);
});

Deno.test("clientAddress() believes no gateway where the runtime shows the socket", () => {
  assert.equal(addressOf(undefined, 0, SOCKET, "6.6.6.6"), "10.0.0.1");
});

Deno.test("clientAddress() counts IPv6 by /64, however the address is written", () => {
  for (
    const entry of [
      "2001:db8:1:2::1",
      "2001:0DB8:0001:0002:ffff:ffff:ffff:ffff",
      "[2001:db8:1:2::9]",
      "[2001:db8:1:2:a::9]:40000",
      "2001:db8:1:2::1%eth0",
    ]
  ) assert.equal(addressOf(entry, 1, SOCKET), "2001:db8:1:2::", entry);
  assert.equal(addressOf("2001:db8:1:3::1", 1, SOCKET), "2001:db8:1:3::");
  assert.equal(addressOf(undefined, 0, { ...SOCKET, hostname: "2001:db8::5" }), "2001:db8::");
});

Deno.test("clientAddress() takes the IPv4 address out of a mapped one and off its port", () => {
  for (const entry of ["203.0.113.9", "203.0.113.9:40000", "::ffff:203.0.113.9", "[::ffff:cb00:7109]:1"]) {
    assert.equal(addressOf(entry, 1, SOCKET), "203.0.113.9", entry);
  }
});

Deno.test("clientAddress() counts what is no address as the socket", () => {
  for (
    const entry of [
      "unknown",
      "unknown-7",
      "_hidden",
      "203.0.113",
      "0x7f.1",
      "1",
      "256.1.1.1",
      "a b",
      "[::1",
      "::1]",
    ]
  ) {
    assert.equal(addressOf(entry, 1, SOCKET), "10.0.0.1", entry);
  }
});
