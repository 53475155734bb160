import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { Product } from "../../components/mark.tsx";
import { words } from "../../i18n/words.ts";

/** A page with one thing to do, before the frame is there. */
export function CardPage({ title, children }: { title: string; children: ComponentChildren }) {
  useEffect(() => {
    document.title = `${title} · ${words().common.product}`;
  }, [title]);
  return (
    <main class="log-in">
      <div class="card">
        <Product />
        <h1>{title}</h1>
        {children}
      </div>
    </main>
  );
}
