import type { Problem } from "../data/problem.ts";
import { defineWords } from "./language.ts";

/** Why a file cannot be read: the API's faults of files, and those that the page sees. */
export const fileFaults = defineWords({
  spreadsheet: "This is a spreadsheet. Save it as “CSV UTF-8” there, then choose that file.",
  large: "It has more than 64 MB. Split it into several files.",
  json: "Each line has to be one JSON object. A list in brackets does not work.",
  no_rows: "No rows are in it besides the names of the columns.",
  no_header: "Its first line is a person. Put a line with the names of the columns before it.",
  no_person: "No column is called number or user_id. Correct the first line of the file.",
  quote_not_closed:
    "A quotation mark is not closed, so the rows behind it cannot be told apart. Nothing was read.",
  row_too_long: "One row has more than 65,536 characters. Probably a quotation mark is not closed.",
  mixed_encoding: "Its letters are not all of one kind, so that some would be wrong. Save it as “CSV UTF-8”.",
  not_csv: "This is not a CSV file that can be read. Save it as “CSV UTF-8”.",
}, {
  spreadsheet: "Es una hoja de cálculo. Guárdala como «CSV UTF-8» y elige ese archivo.",
  large: "Tiene más de 64 MB. Divídelo en varios archivos.",
  json: "Cada línea tiene que ser un objeto JSON. Una lista entre corchetes no sirve.",
  no_rows: "No tiene más filas que los nombres de las columnas.",
  no_header: "Su primera línea es una persona. Pon antes una línea con los nombres de las columnas.",
  no_person: "Ninguna columna se llama number o user_id. Corrige la primera línea del archivo.",
  quote_not_closed:
    "Hay unas comillas sin cerrar y las filas de detrás no se distinguen. No se ha leído nada.",
  row_too_long: "Una fila tiene más de 65 536 caracteres. Probablemente hay unas comillas sin cerrar.",
  mixed_encoding:
    "No todas sus letras son de la misma clase y algunas saldrían mal. Guárdalo como «CSV UTF-8».",
  not_csv: "No es un archivo CSV que se pueda leer. Guárdalo como «CSV UTF-8».",
});

export type FileFault = keyof ReturnType<typeof fileFaults>;

/** Returns what is wrong with a file that the API refuses; undefined for every other problem. */
export function fileFaultOf({ details }: Problem): FileFault | undefined {
  const { fault } = (details ?? {}) as { fault?: FileFault };
  return fault !== undefined && Object.hasOwn(fileFaults(), fault) ? fault : undefined;
}
