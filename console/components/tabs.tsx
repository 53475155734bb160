import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { changeQuery, route } from "../data/route.ts";

export interface Tab {
  name: string;
  title: string;
  content: () => ComponentChildren;
}

/** Views of one thing; which one is in the address as `tab`. */
export function Tabs({ label, tabs }: { label: string; tabs: Tab[] }) {
  const id = useId();
  const wanted = route.value.query.tab;
  const shown = Math.max(0, tabs.findIndex(({ name }) => name === wanted));

  function show(index: number, list: HTMLElement): void {
    const at = (index + tabs.length) % tabs.length;
    changeQuery({ tab: at === 0 ? undefined : tabs[at]!.name });
    (list.children[at] as HTMLElement).focus();
  }

  return (
    <div class="tabs">
      <div
        role="tablist"
        aria-label={label}
        onKeyDown={(event) => {
          const forward = document.documentElement.dir === "rtl" ? -1 : 1;
          if (event.key === "ArrowRight") show(shown + forward, event.currentTarget);
          if (event.key === "ArrowLeft") show(shown - forward, event.currentTarget);
        }}
      >
        {tabs.map(({ name, title }, index) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`${id}-${name}`}
            aria-selected={index === shown}
            aria-controls={`${id}-panel`}
            tabIndex={index === shown ? 0 : -1}
            onClick={(event) => show(index, event.currentTarget.parentElement!)}
          >
            {title}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${tabs[shown]!.name}`}>
        {tabs[shown]!.content()}
      </div>
    </div>
  );
}
