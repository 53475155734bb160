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

/** Holds all ports until all are chosen, so that none is chosen twice. */
function freePorts(): Ports {
  const parts = Object.keys(OFFSETS) as Part[];
  const listeners = parts.map(() => Deno.listen({ hostname: "127.0.0.1", port: 0 }));
  const ports = parts.map((part, index) => [part, (listeners[index]!.addr as Deno.NetAddr).port]);
  for (const listener of listeners) listener.close();
  return Object.fromEntries(ports);
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
