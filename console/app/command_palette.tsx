import { useEffect, useId, useState } from "preact/hooks";
import { companies, company, link, may } from "../data/company.ts";
import { toggleLive } from "../data/live/live.ts";
import { hrefTo } from "../data/href.ts";
import { navigate } from "../data/route.ts";
import { endSession } from "../data/session/session.ts";
import { chooseTheme, THEMES } from "../data/theme.ts";
import { Dialog } from "../components/dialog/dialog.tsx";
import { attempt } from "../components/dialog/toast.tsx";
import { LANGUAGE_NAMES } from "../i18n/language.ts";
import { SCREENS } from "./screens.ts";
import { openHelper } from "./shortcuts.ts";
import { chooseLanguage, words } from "../i18n/words.ts";

interface Command {
  title: string;
  run: () => void;
}

/** Everything that works on every screen, found by typing. */
export function CommandPalette() {
  const [typed, setTyped] = useState("");
  const [at, setAt] = useState(0);
  const id = useId();
  const found = commands().filter(({ title }) => matches(title, typed));
  const close = () => openHelper.value = undefined;

  useEffect(() => document.getElementById(`${id}-${at}`)?.scrollIntoView({ block: "nearest" }), [at]);

  function run(command: Command | undefined): void {
    if (command === undefined) return;
    close();
    command.run();
  }

  function press(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setAt((found.length + at + step) % Math.max(1, found.length));
    }
    if (event.key === "Enter") run(found[at]);
  }

  return (
    <Dialog title={words().common.commands} onClose={close}>
      <input
        class="palette-input"
        role="combobox"
        aria-label={words().common.search}
        placeholder={words().common.search}
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-activedescendant={found[at] && `${id}-${at}`}
        value={typed}
        autofocus
        onInput={(event) => {
          setTyped(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={press}
      />
      <ul class="palette" role="listbox" id={`${id}-list`} aria-label={words().common.commands}>
        {found.map((command, index) => (
          <li
            key={command.title}
            role="option"
            id={`${id}-${index}`}
            aria-selected={index === at}
            onClick={() => run(command)}
          >
            {command.title}
          </li>
        ))}
      </ul>
      {found.length === 0 && <p class="help">{words().common.nothingFound}</p>}
    </Dialog>
  );
}

function commands(): Command[] {
  const { goTo: toScreen, shortcut, themes, theme, language: speech, logOut, shortcuts } = words().common;
  const others = companies.value?.filter(({ company_id }) => company_id !== company.value?.company_id) ?? [];
  return [
    ...SCREENS.filter(({ group, role }) => group && may(role ?? "viewer")).map(({ path }) => ({
      title: toScreen(words().screens[path]),
      run: () => navigate(link([path])),
    })),
    ...others.map(({ name, company_id }) => ({
      title: toScreen(name),
      run: () => navigate(hrefTo([company_id, "overview"])),
    })),
    { title: shortcut.live, run: toggleLive },
    ...THEMES.map((each) => ({ title: `${theme}: ${themes[each]}`, run: () => chooseTheme(each) })),
    ...LANGUAGE_NAMES.map(([code, name]) => ({
      title: `${speech}: ${name}`,
      run: () => attempt(() => chooseLanguage(code)),
    })),
    { title: shortcuts, run: () => openHelper.value = "help" },
    { title: logOut, run: () => endSession("left") },
  ];
}

/** Each typed word is somewhere in the title. */
function matches(title: string, typed: string): boolean {
  const text = title.toLowerCase();
  return typed.toLowerCase().split(/\s+/).every((word) => text.includes(word));
}
