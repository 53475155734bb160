import { useEffect, useRef } from "preact/hooks";
import type { Role } from "../data/company.ts";
import { endSession, session } from "../data/session.ts";
import { chooseTheme, theme, THEMES } from "../data/theme.ts";
import { Button } from "../parts/button.tsx";
import { Select } from "../parts/fields.tsx";
import { Icon } from "../parts/icon.tsx";
import { chooseLanguage, language, LANGUAGES } from "../words/language.ts";
import type { Language } from "../words/language.ts";
import { words } from "../words/words.ts";
import { openHelper } from "./shortcuts.ts";

/** Shows who is logged in, how the page looks and speaks, and the way out. */
export function UserMenu({ role }: { role: Role }) {
  const menu = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const close = (event: Event) => {
      if (
        event instanceof KeyboardEvent ? event.key !== "Escape" : menu.current!.contains(event.target as Node)
      ) return;
      menu.current!.open = false;
    };
    for (const kind of ["pointerdown", "keydown"]) addEventListener(kind, close);
    return () => {
      for (const kind of ["pointerdown", "keydown"]) removeEventListener(kind, close);
    };
  }, []);
  return (
    <details ref={menu} class="user-menu">
      <summary class="button quiet bare" aria-label={words().account} title={words().account}>
        <Icon name="user" />
      </summary>
      <div class="user-panel">
        <p>
          <strong>{session.value?.name ?? session.value?.email}</strong>
          <span class="facts">{session.value?.email} · {words().roles[role]}</span>
        </p>
        <Select
          label={words().theme}
          value={theme.value}
          options={THEMES.map((each) => [each, words().themes[each]] as const)}
          onChange={chooseTheme}
        />
        <Select
          label={words().language}
          value={language.value}
          options={Object.entries(LANGUAGES) as [Language, string][]}
          onChange={chooseLanguage}
        />
        <Button
          onPress={() => {
            menu.current!.open = false;
            openHelper.value = "help";
          }}
        >
          {words().shortcuts}
        </Button>
        <Button onPress={() => endSession("left")}>{words().logOut}</Button>
      </div>
    </details>
  );
}
