import { defineWords } from "../../words/language.ts";

export const words = defineWords({
  title: "Log in",
  email: "E-mail",
  password: "Password",
  endings: {
    expired: "Your session has ended. Log in again to go on where you were.",
    idle: "You were away for half an hour, so you were logged out. Log in to go on where you were.",
    left: "You are logged out.",
  },
  refused: "E-mail or password is wrong.",
  forgotten: "Forgotten? The operator of the server can set a new one.",
}, {
  title: "Iniciar sesión",
  email: "Correo electrónico",
  password: "Contraseña",
  endings: {
    expired: "Tu sesión terminó. Inicia sesión para seguir donde estabas.",
    idle: "Se cerró la sesión tras media hora sin actividad. Inicia sesión para seguir donde estabas.",
    left: "Cerraste la sesión.",
  },
  refused: "El correo o la contraseña no son correctos.",
  forgotten: "¿La olvidaste? Quien administra el servidor puede poner otra.",
});
