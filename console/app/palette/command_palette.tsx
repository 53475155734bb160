import { useEffect, useId, useState } from "preact/hooks";
import { Dialog } from "../../components/dialog/dialog.tsx";
import { describeProblem } from "../../components/error_notice.tsx";
import { Icon } from "../../components/icon.tsx";
import { openHelper } from "../shortcuts.ts";
import { type Command, commands, matches } from "./commands.ts";
import { KINDS, kindTitle } from "./finders.ts";
import { useFound } from "./use_found.ts";
import { words } from "../../i18n/words.ts";

interface Group {
  title: string;
  commands: Command[];
}

/** People, campaigns, templates, conversations, calls, screens and actions, found by typing. */
export default function CommandPalette() {
  const [typed, setTyped] = useState("");
  const [at, setAt] = useState(0);
  const id = useId();
  const { found, isSearching, problem } = useFound(typed);
  const groups: Group[] = [
    ...KINDS.map((kind) => ({ title: kindTitle(kind), commands: found[kind] ?? [] })),
    { title: words().common.commands, commands: commands().filter(({ title }) => matches(title, typed)) },
  ].filter((group) => group.commands.length > 0);
  const all = groups.flatMap((group) => group.commands);
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
      setAt((all.length + at + step) % Math.max(1, all.length));
    }
    if (event.key === "Enter" && !event.isComposing) run(all[at]);
  }

  return (
    <Dialog title={words().common.search} onClose={close}>
      <input
        class="palette-input"
        role="combobox"
        aria-label={words().common.search}
        placeholder={words().common.searchHelp}
        aria-expanded="true"
        aria-controls={`${id}-list`}
        aria-activedescendant={all[at] && `${id}-${at}`}
        value={typed}
        autocomplete="off"
        autofocus
        onInput={(event) => {
          setTyped(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={press}
      />
      <div class="palette" role="listbox" id={`${id}-list`} aria-label={words().common.search}>
        {groups.map((group) => (
          <div key={group.title} role="group" aria-label={group.title}>
            <div class="palette-title" aria-hidden="true">{group.title}</div>
            {group.commands.map((command) => {
              const index = all.indexOf(command);
              return (
                <div
                  key={`${command.title} ${index}`}
                  class="palette-row"
                  role="option"
                  id={`${id}-${index}`}
                  aria-selected={index === at}
                  onClick={() => run(command)}
                >
                  {command.icon && <Icon name={command.icon} />}
                  <span>{command.title}</span>
                  {command.note && <small>{command.note}</small>}
                </div>
              );
            })}
          </div>
        ))}
      </div>
      <p class="help" role="status">
        {problem
          ? describeProblem(problem)
          : isSearching
          ? words().common.searching
          : all.length === 0
          ? words().common.nothingFound
          : ""}
      </p>
    </Dialog>
  );
}
