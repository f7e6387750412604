from weatherglass._cli import main

main()
