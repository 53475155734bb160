import { choosePorts, type Part } from "../../local/stack/choose_ports.ts";

const PARTS: Part[] = ["api", "database", "console", "sandbox", "widget", "auth", "metrics"];

/** A value of PORT with which the ports of all parts are free now: for a stack that must come back where it was. */
export function freePorts(): number {
  for (let attempt = 0; attempt < 100; attempt++) {
    const first = 20_000 + Math.floor(Math.random() * 10_000);
    if (areFree(first)) return first;
  }
  throw new Error("No free ports in a row");
}

function areFree(first: number): boolean {
  try {
    choosePorts(first, PARTS);
    return true;
  } catch {
    return false;
  }
}
