import { StackError } from "./errors.ts";

/** The port of each part: Supabase's local ports, moved together by PORT. */
const OFFSETS = { api: 0, database: 1, console: 2, sandbox: 3, widget: 4, auth: 5, metrics: 6 } as const;

export type Part = keyof typeof OFFSETS;

export type Ports = Record<Part, number>;

/**
 * Chooses the ports of all parts; those of the wanted parts are free at this moment. PORT 0 takes any free ports.
 *
 * @throws StackError naming the first port that is in use
 */
export function choosePorts(port: number, wanted: Part[]): Ports {
  if (port === 0) return freePorts();
  const ports = Object.fromEntries(
    Object.entries(OFFSETS).map(([part, offset]) => [part, port + offset]),
  ) as Ports;
  for (const part of wanted) refuseTaken(part, ports[part]);
  return ports;
}

/**
 * Below the ports that systems give to connections (from 32768 on Linux, from 49152 elsewhere): one of those may be taken
 * again before the part listens.
 */
const FREE_PORTS = { from: 10_000, to: 32_000 };

/** Holds all ports until all are chosen, so that none is chosen twice. */
function freePorts(): Ports {
  const parts = Object.keys(OFFSETS) as Part[];
  const listeners = parts.map(listenAnywhere);
  const ports = parts.map((part, index) => [part, (listeners[index]!.addr as Deno.NetAddr).port]);
  for (const listener of listeners) listener.close();
  return Object.fromEntries(ports);
}

function listenAnywhere(): Deno.Listener {
  for (;;) {
    const port = FREE_PORTS.from + Math.floor(Math.random() * (FREE_PORTS.to - FREE_PORTS.from));
    try {
      return Deno.listen({ hostname: "127.0.0.1", port });
    } catch (error) {
      if (!(error instanceof Deno.errors.AddrInUse)) throw error;
    }
  }
}

function refuseTaken(part: Part, port: number): void {
  if (port > 65535) {
    throw new StackError("PORT must be at most 65529: the other parts use the ports after it");
  }
  try {
    Deno.listen({ hostname: "127.0.0.1", port }).close();
  } catch (error) {
    if (error instanceof Deno.errors.AddrInUse) {
      throw new StackError(
        `Port ${port} (${part}) is in use: set PORT to move all parts, or 0 for free ones`,
      );
    }
    if (error instanceof Deno.errors.PermissionDenied) {
      throw new StackError(`Port ${port} (${part}) may not be used: permission denied`);
    }
    throw error;
  }
}
