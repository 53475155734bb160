import type { ComponentChildren } from "preact";

/** Names and values, one under the other: `Fact` in `Facts`. */
export function Facts({ children }: { children: ComponentChildren }) {
  return <dl class="facts-list">{children}</dl>;
}

/** One name and its value; left out where the value is null or undefined. */
export function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  if (children === null || children === undefined) return null;
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** A number that a screen is about, with what it counts, and a link to what it counts. */
export function Figure({ name, value, note, href, isBad = false }: {
  name: string;
  value: ComponentChildren;
  note?: ComponentChildren;
  href?: string | undefined;
  isBad?: boolean;
}) {
  const content = (
    <>
      <span class="figure-name">{name}</span>
      <span class={`figure-value${isBad ? " bad" : ""}`}>{value}</span>
      <span class="figure-note">{note}</span>
    </>
  );
  return href ? <a class="figure" href={href}>{content}</a> : <div class="figure">{content}</div>;
}

/** Figures side by side. */
export function Figures({ children }: { children: ComponentChildren }) {
  return <div class="figures">{children}</div>;
}
