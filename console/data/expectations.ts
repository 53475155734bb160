import { language } from "../i18n/language.ts";

/** The descriptions of templates' values in Spanish, by the API's words. */
export const EXPECTATIONS_ES: Record<string, string> = {
  "text of at most 60 characters": "texto de 60 caracteres como máximo",
  "an https URL of a JPG, PNG or GIF": "una URL https de un JPG, PNG o GIF",
  "an https URL of an MP4, AVI or MOV": "una URL https de un MP4, AVI o MOV",
  "an https URL of a PDF, DOC, XLS or PPT": "una URL https de un PDF, DOC, XLS o PPT",
  "degrees north, from -90 to 90, such as 40.4168": "grados norte, de -90 a 90, como 40.4168",
  "degrees east, from -180 to 180, such as -3.7038": "grados este, de -180 a 180, como -3.7038",
  "text of at most 1000 characters": "texto de 1000 caracteres como máximo",
  "the end of the button's URL": "el final de la URL del botón",
  "one line of at most 15 characters": "una línea de 15 caracteres como máximo",
  "text of at most 256 characters, which comes back when the button is pressed":
    "texto de 256 caracteres como máximo, que vuelve cuando se pulsa el botón",
  "a time with an offset or Z, such as 2030-01-31T18:00:00+01:00, after the message is due":
    "una hora con desfase o Z, como 2030-01-31T18:00:00+01:00, posterior al envío",
  "text of at most 200 characters": "texto de 200 caracteres como máximo",
  "the text of a JSON object of at most 1024 characters":
    "el texto de un objeto JSON de 1024 caracteres como máximo",
};

/** Returns what a value has to be, in the viewer's language; nothing where any text will do. */
export function describeExpected(expects: string): string | undefined {
  if (expects === "text") return undefined;
  return language.value === "es" ? EXPECTATIONS_ES[expects] ?? expects : expects;
}
