import type { ComponentChildren } from "preact";

/** The top of a screen: where one is, what it is called, and what can be done here. */
export function PageHead({ title, above, badge, facts, actions }: {
  title: string;
  /** The list that it belongs to. */
  above?: { title: string; href: string } | undefined;
  badge?: ComponentChildren;
  /** One line of details. */
  facts?: ComponentChildren;
  actions?: ComponentChildren;
}) {
  return (
    <header class="page-head">
      {above && <a class="above" href={above.href}>{above.title}</a>}
      <div class="page-title">
        <h1>{title}</h1>
        {badge}
        {actions && <div class="actions">{actions}</div>}
      </div>
      {facts && <p class="facts">{facts}</p>}
    </header>
  );
}

/** A part of a screen under a heading. */
export function Section({ title, children, actions }: {
  title: string;
  children: ComponentChildren;
  actions?: ComponentChildren;
}) {
  return (
    <section class="section">
      <div class="section-head">
        <h2>{title}</h2>
        {actions}
      </div>
      {children}
    </section>
  );
}
