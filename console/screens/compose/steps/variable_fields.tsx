import { Field } from "../../../components/form/fields.tsx";
import { guessVariables, type Variables, wrongVariables } from "./agent_variables.ts";
import { type Choices, numberColumn } from "../draft.ts";
import { words } from "../../../i18n/words.ts";

/** The columns that the agent receives, each under a name of the agent's texts. */
export function VariableFields({ columns: all, labelOf, choices, onChange }: {
  columns: string[];
  labelOf: (column: string) => string;
  choices: Pick<Choices, "sources" | "variables">;
  onChange: (variables: Variables) => void;
}) {
  const names = words().compose;
  const { sources, variables } = choices;
  const number = numberColumn(sources);
  const columns = all.filter((column) => column !== "" && column !== number);
  if (columns.length === 0) return null;
  const wrong = wrongVariables(variables, number);
  return (
    <fieldset class="variables">
      <legend>{names.variables}</legend>
      <p class="help">{names.variablesHelp}</p>
      <div class="mapping">
        {columns.map((column) => (
          <Field
            key={column}
            label={labelOf(column)}
            placeholder={guessVariables([column])[column]}
            error={wrong.has(column) ? names.variableWrong : undefined}
            value={variables[column] ?? ""}
            onChange={(name) => onChange({ ...variables, [column]: name })}
          />
        ))}
      </div>
    </fieldset>
  );
}
