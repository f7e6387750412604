from weatherglass._cli.main import main

main()
