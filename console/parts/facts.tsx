import type { ComponentChildren } from "preact";

/** Names and values, one under the other. A value that is null or undefined is left out. */
export function Facts({ rows }: { rows: [name: string, value: ComponentChildren][] }) {
  return (
    <dl class="facts-list">
      {rows.filter(([, value]) => value !== null && value !== undefined).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
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
