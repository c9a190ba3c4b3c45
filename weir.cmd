@echo off
rem Starts Weir on Windows: finds a JDK 25, builds when there is no build yet, runs it.
rem Delete .weir to build again. WEIR_JAVA_OPTS is handed to java.
rem Delayed expansion would take every ! out of the arguments.
setlocal EnableExtensions DisableDelayedExpansion
set "ROOT=%~dp0"
set "HOME_DIR=%ROOT%.weir\windows"
set "JDK="

if defined JAVA_HOME call :try "%JAVA_HOME%"
for /d %%D in ("%ProgramFiles%\Eclipse Adoptium\*" "%ProgramFiles%\Java\*" "%ProgramFiles%\Microsoft\*" "%ProgramFiles%\Zulu\*" "%USERPROFILE%\.jdks\*") do call :try "%%~D"
if not defined JDK (
  echo weir: a JDK 25 is needed and none was found; install one, for example Temurin 25, or set JAVA_HOME to it. 1>&2
  exit /b 2
)

if not exist "%HOME_DIR%\weir.jar" (
  where mvn >nul 2>nul || (
    echo weir: Maven is needed to build Weir and was not found; install it ^(3.8 or newer^). 1>&2
    exit /b 2
  )
  echo First build: Maven downloads the libraries that are missing, then compiles. This usually takes 1 to 3 minutes. 1>&2
  echo Building Weir ... 1>&2
  pushd "%ROOT%"
  set "JAVA_HOME=%JDK%"
  call mvn -B -q -Dweir.quick -Dmaven.test.skip=true -pl cli -am package 1>&2 || (
    popd
    echo weir: the build failed. 1>&2
    exit /b 2
  )
  popd
  mkdir "%HOME_DIR%\lib" 2>nul
  copy /y "%ROOT%cli\target\lib\*.jar" "%HOME_DIR%\lib" >nul
  copy /y "%ROOT%cli\target\weir-cli-*.jar" "%HOME_DIR%\weir.jar" >nul
)

"%JDK%\bin\java.exe" %WEIR_JAVA_OPTS% -jar "%HOME_DIR%\weir.jar" %*
exit /b %ERRORLEVEL%

:try
if defined JDK exit /b 0
if not exist "%~1\bin\javac.exe" exit /b 0
findstr /b /c:"JAVA_VERSION=\"25" "%~1\release" >nul 2>nul && set "JDK=%~1"
exit /b 0
