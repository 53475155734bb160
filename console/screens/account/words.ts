import { defineWords } from "../../i18n/language.ts";

export const words = defineWords({
  title: "Your account",
  factors: "Second factor",
  factorsHelp:
    "An app on your phone shows a code that changes every half minute. The log-in then asks for it after the password.",
  none: "You have none: your password is enough to log in.",
  name: "Name",
  nameHelp: "Such as the phone that the app is on.",
  defaultName: "Authenticator app",
  since: "Set up",
  setUp: "Set up an app",
  next: "Next",
  scan:
    "Scan this picture with an authenticator app, or type the secret into it. Then enter the code that it shows.",
  picture: "QR code for the app",
  secret: "Secret",
  finish: "Finish",
  isSetUp: "Your second factor is set up. You are logged out everywhere else.",
  remove: "Remove",
  removeTitle: (name: string) => `Remove ${name}?`,
  removeText: "From then on, your password is enough to log in, unless you have another second factor.",
  removed: "The second factor is removed.",
}, {
  title: "Tu cuenta",
  factors: "Segundo factor",
  factorsHelp:
    "Una aplicación en tu teléfono muestra un código que cambia cada medio minuto. El inicio de sesión lo pide después de la contraseña.",
  none: "No tienes ninguno: tu contraseña basta para entrar.",
  name: "Nombre",
  nameHelp: "Por ejemplo, el teléfono donde está la aplicación.",
  defaultName: "Aplicación de autenticación",
  since: "Desde",
  setUp: "Configurar una aplicación",
  next: "Siguiente",
  scan:
    "Escanea esta imagen con una aplicación de autenticación, o escribe el secreto en ella. Después introduce el código que muestra.",
  picture: "Código QR para la aplicación",
  secret: "Secreto",
  finish: "Terminar",
  isSetUp: "Tu segundo factor está configurado. Tus demás sesiones se cerraron.",
  remove: "Quitar",
  removeTitle: (name) => `¿Quitar ${name}?`,
  removeText: "Desde entonces basta tu contraseña para entrar, salvo que tengas otro segundo factor.",
  removed: "El segundo factor se quitó.",
});
