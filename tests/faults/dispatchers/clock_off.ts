/**
 * Loaded before a dispatcher: its clock is off by the seconds in `?by_s=`.
 *
 * @module
 */
const offMs = Number(new URL(import.meta.url).searchParams.get("by_s")) * 1000;
const RealDate = Date;

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args) =>
    args.length > 0 ? Reflect.construct(target, args) : new target(target.now() + offMs),
  get: (target, name) => name === "now" ? () => target.now() + offMs : Reflect.get(target, name),
});
